import type { CustomResourceDefinition } from '@apichain/schema';
import { FollowedObjects, type Storage, type StoredObject } from '@apichain/storage';
import type { Logger } from 'pino';
import { asCrd } from './crd-strategy.ts';

export type CrdListener = (name: string, crd: CustomResourceDefinition | undefined) => void;

/** A cache of every CustomResourceDefinition, kept up to date from the store. It replaces the informers of kube-apiserver's controllers. */
export class CrdCache {
  readonly #followed: FollowedObjects;
  readonly #crds = new Map<string, CustomResourceDefinition>();
  readonly #listeners: CrdListener[] = [];

  /** `prefix` is the directory of the definitions without a trailing slash. */
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

  /** Resolves when the first list has been loaded. */
  get synced(): Promise<void> {
    return this.#followed.waitForSync();
  }

  get(name: string): CustomResourceDefinition | undefined {
    return this.#crds.get(name);
  }
  all(): Iterable<CustomResourceDefinition> {
    return this.#crds.values();
  }
  /** Adds a listener that is called for every change; `undefined` = the CRD was deleted. Objects are shared and must not be modified. */
  onChange(listener: CrdListener): void {
    this.#listeners.push(listener);
  }

  /** Reads every write acknowledged before the call. Resolves true when it found a change. Rejects with the errors of a list. */
  catchUp(signal: AbortSignal): Promise<boolean> {
    return this.#followed.refresh(signal);
  }

  /** Lists, watches, and starts again when the watch ends, until `signal` aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#followed.run(signal);
  }

  #set(object: StoredObject): void {
    // Parses the whole object: extracting only the selectable fields from the text would take as long.
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
