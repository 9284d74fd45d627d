import type { CustomResourceDefinition } from '@apichain/schema';
import { FollowedObjects, type Storage, type StoredObject } from '@apichain/storage';
import type { Logger } from 'pino';
import { asCrd } from './crd-strategy.ts';

export type CrdListener = (name: string, crd: CustomResourceDefinition | undefined) => void;

/** Every CustomResourceDefinition, kept up to date from the store: what informers are to the real server's controllers. */
export class CrdCache {
  readonly #followed: FollowedObjects;
  readonly #crds = new Map<string, CustomResourceDefinition>();
  readonly #listeners: CrdListener[] = [];

  /** `prefix` is the directory of the definitions without a closing slash. */
  constructor(storage: Storage, prefix: string, logger: Logger) {
    this.#followed = new FollowedObjects({
      store: { storage, prefix },
      onChange: ({ put, dropped }) => {
        for (const object of put) this.#set(object);
        for (const name of dropped) this.#remove(name);
      },
      onError: (error) => logger.warn({ err: error }, 'watching CustomResourceDefinitions failed, trying again'),
    });
  }

  /** Resolves when the first list has been seen. */
  get synced(): Promise<void> {
    return this.#followed.waitForSync();
  }

  get(name: string): CustomResourceDefinition | undefined {
    return this.#crds.get(name);
  }
  all(): Iterable<CustomResourceDefinition> {
    return this.#crds.values();
  }
  /** Called for every change; `undefined` = the CRD is gone. Objects are shared: do not change them. */
  onChange(listener: CrdListener): void {
    this.#listeners.push(listener);
  }

  /** Lists, watches, and begins again when the watch ends, until `signal` aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#followed.run(signal);
  }

  #set(object: StoredObject): void {
    // What a definition is selected by would be read from its text by itself, which takes as long as to read the whole.
    const crd = asCrd(object.parse());
    const { name = '' } = crd.metadata;
    if (this.#crds.get(name)?.metadata.resourceVersion === crd.metadata.resourceVersion) return;
    this.#crds.set(name, crd);
    for (const listener of this.#listeners) listener(name, crd);
  }

  #remove(name: string): void {
    if (!this.#crds.delete(name)) return;
    for (const listener of this.#listeners) listener(name, undefined);
  }
}
