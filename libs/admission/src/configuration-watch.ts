import type { KubeObject } from '@apichain/meta';
import { FollowedObjects, type ResourceStore } from '@apichain/storage';

interface ConfigurationWatchOptions {
  /** Undefined = the resource is not served, so there is no configuration. */
  readonly store: ResourceStore | undefined;
  /** Called after the first list and after every change with all objects, ordered by name. The objects are shared; do not change them. */
  readonly onChange: (objects: readonly KubeObject[]) => void;
  readonly onError?: (error: unknown) => void;
}

/**
 * Watches the objects that configure plugins (webhook configurations, policies, bindings) in the store directly. No server of the chain
 * depends on another server for them: no server waits for another at startup, and these reads do not pass through admission.
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
      onError,
    });
  }

  get hasSynced(): boolean {
    return this.#followed.hasSynced;
  }

  /** Resolves when the objects of the first list have been passed to `onChange`. */
  waitForSync(): Promise<void> {
    return this.#followed.waitForSync();
  }

  /** Passes every write acknowledged before the call to `onChange`. Rejects with the errors of a list. */
  async refresh(signal?: AbortSignal): Promise<void> {
    await this.#followed.refresh(signal);
  }

  /** Lists and watches, and starts again when the watch ends, until `signal` aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void> {
    return this.#followed.run(signal);
  }
}
