import { setTimeout as delay } from 'node:timers/promises';
import type { CustomResourceDefinition } from '@apichain/schema';
import type { SelectionPredicate, Storage, StoredObject } from '@apichain/storage';
import type { Logger } from 'pino';
import { asCrd } from './crd-strategy.ts';

const everything: SelectionPredicate = { matches: () => true, everything: true, exactFields: {} };
const retryMs = 1000;

export type CrdListener = (name: string, crd: CustomResourceDefinition | undefined) => void;

/** Every CustomResourceDefinition, kept up to date from the store: what informers are to the real server's controllers. */
export class CrdCache {
  readonly #storage: Storage;
  readonly #directory: string;
  readonly #logger: Logger;
  readonly #crds = new Map<string, CustomResourceDefinition>();
  readonly #listeners: CrdListener[] = [];
  #synced!: () => void;
  /** Resolves when the first list has been seen. */
  readonly synced: Promise<void> = new Promise((resolve) => {
    this.#synced = resolve;
  });

  constructor(storage: Storage, directory: string, logger: Logger) {
    this.#storage = storage;
    this.#directory = directory;
    this.#logger = logger;
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
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#listAndWatch(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#logger.warn({ err: error }, 'watching CustomResourceDefinitions failed, trying again');
        await delay(retryMs);
      }
    }
  }

  async #listAndWatch(signal: AbortSignal): Promise<void> {
    const list = await this.#storage.list(this.#directory, {
      resourceVersion: '',
      limit: 0,
      continue: '',
      predicate: everything,
      signal,
    });
    const names = new Set(list.items.map((item) => item.attributes.name));
    for (const item of list.items) this.#set(item);
    for (const name of this.#crds.keys()) if (!names.has(name)) this.#remove(name);
    this.#synced();
    const stream = await this.#storage.watch(this.#directory, {
      resourceVersion: String(list.revision),
      predicate: everything,
      allowWatchBookmarks: false,
      prompt: true,
      signal,
    });
    for (let events = await stream.next(); events !== undefined; events = await stream.next())
      for (const event of events) {
        if (event.type === 'ERROR') return;
        if (event.object === undefined) continue;
        if (event.type === 'DELETED') this.#remove(event.object.attributes.name);
        else this.#set(event.object);
      }
  }

  #set(object: StoredObject): void {
    const { name } = object.attributes;
    const crd = asCrd(object.parse());
    if (this.#crds.get(name)?.metadata.resourceVersion === crd.metadata.resourceVersion) return;
    this.#crds.set(name, crd);
    for (const listener of this.#listeners) listener(name, crd);
  }

  #remove(name: string): void {
    if (!this.#crds.delete(name)) return;
    for (const listener of this.#listeners) listener(name, undefined);
  }
}
