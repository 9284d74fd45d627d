import type { KubeObject } from '@apichain/meta';
import { FollowedObjects, type ResourceStore } from '@apichain/storage';

export interface ConfigurationWatchOptions {
  /** Undefined = the resource is not served: there is no configuration. */
  readonly store: ResourceStore | undefined;
  /** The objects in order of their names; they are shared and not to be changed. Called after the first list and after every change. */
  readonly onChange: (objects: readonly KubeObject[]) => void;
  readonly onError?: (error: unknown) => void;
}

/**
 * Follows the objects that configure plugins (webhook configurations, policies, bindings) in the store itself, so that every server of the
 * chain hears of them without asking another server: no start waits for another, and no request passes admission on the way.
 */
export class ConfigurationWatch {
  readonly #followed: FollowedObjects;

  constructor({ store, onChange, onError }: ConfigurationWatchOptions) {
    const objects = new Map<string, KubeObject>();
    const start = (store?.prefix.length ?? 0) + 1;
    this.#followed = new FollowedObjects({
      store,
      onChange: ({ put, dropped }) => {
        for (const item of put) objects.set(item.key.slice(start), item.parse());
        for (const name of dropped) objects.delete(name);
        onChange([...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object));
      },
      ...(onError === undefined ? {} : { onError }),
    });
  }

  get hasSynced(): boolean {
    return this.#followed.hasSynced;
  }

  /** Resolves when the first list has been taken in. */
  waitForSync(): Promise<void> {
    return this.#followed.waitForSync();
  }

  /** Lists, watches, and begins again when the watch ends, until `signal` aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void> {
    return this.#followed.run(signal);
  }
}
