import { EventEmitter, once } from 'node:events';
import type { KubeObject } from '@apichain/meta';
import {
  checkPreconditions,
  KeyExistsError,
  KeyNotFoundError,
  type DeleteOptions,
  type GuaranteedUpdateOptions,
  type Storage,
  type StorageCodec,
  type StorageListOptions,
  type StorageWatchOptions,
  type StoredList,
  type StoredObject,
  type WatchEvent,
  type WatchStream,
} from '@apichain/storage';
import { parseJson } from '@apichain/meta';

interface Entry {
  readonly value: Buffer;
  readonly revision: number;
}

/** The Storage of one resource in a Map, for tests of the layers above the store. */
export class MemoryStorage implements Storage {
  readonly #codec: StorageCodec;
  readonly #entries = new Map<string, Entry>();
  readonly #changes = new EventEmitter();
  #revision = 1;
  writes = 0;
  reads = 0;
  /** How often a stored object was parsed in one step. */
  wholeReads = 0;
  /** The copies that `cachedCopy` returns, by key. */
  readonly copies = new Map<string, StoredObject>();

  constructor(codec: StorageCodec) {
    this.#codec = codec;
    this.#changes.setMaxListeners(0);
  }

  #stored(key: string, { value, revision }: Entry): StoredObject {
    const json = this.#codec.decode(value, revision);
    return {
      key,
      revision,
      json,
      attributes: this.#codec.attributes(json),
      parse: () => {
        this.wholeReads++;
        return parseJson(json) as KubeObject;
      },
      shapes: new Map(),
    };
  }

  #put(key: string, object: KubeObject): StoredObject {
    const value = this.#codec.encode(object);
    const known = this.#entries.get(key);
    if (known !== undefined && known.value.equals(value)) return this.#stored(key, known);
    const entry = { value, revision: ++this.#revision };
    this.#entries.set(key, entry);
    this.writes++;
    const stored = this.#stored(key, entry);
    const type = known === undefined ? 'ADDED' : 'MODIFIED';
    this.#changes.emit('change', { type, object: stored, revision: stored.revision, frames: new Map() });
    return stored;
  }

  async create(key: string, object: KubeObject): Promise<StoredObject> {
    await Promise.resolve();
    if (this.#entries.has(key)) throw new KeyExistsError(key);
    return this.#put(key, object);
  }

  async get(key: string): Promise<StoredObject> {
    await Promise.resolve();
    this.reads++;
    const entry = this.#entries.get(key);
    if (entry === undefined) throw new KeyNotFoundError(key);
    return this.#stored(key, entry);
  }

  async list(directory: string, options: StorageListOptions): Promise<StoredList> {
    await Promise.resolve();
    const items = [...this.#entries]
      .filter(([key]) => key.startsWith(directory))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => this.#stored(key, entry))
      .filter((object) => options.predicate.matches(object.attributes));
    return { items, revision: this.#revision };
  }

  async watch(directory: string, options: StorageWatchOptions): Promise<WatchStream> {
    const queue: WatchEvent[] = [];
    const wake = new EventEmitter();
    let stopped = false;
    if (options.resourceVersion === '' || options.resourceVersion === '0') {
      const { items } = await this.list(directory, { ...options, limit: 0, continue: '' });
      for (const object of items) queue.push({ type: 'ADDED', object, revision: object.revision, frames: new Map() });
    }
    const onChange = (event: WatchEvent) => {
      if (event.object?.key.startsWith(directory) !== true) return;
      queue.push(event);
      wake.emit('wake');
    };
    this.#changes.on('change', onChange);
    return {
      next: async () => {
        while (queue.length === 0 && !stopped) await once(wake, 'wake');
        return queue.length > 0 && !stopped ? queue.splice(0) : undefined;
      },
      stop: () => {
        stopped = true;
        this.#changes.off('change', onChange);
        wake.emit('wake');
      },
    };
  }

  async guaranteedUpdate(key: string, options: GuaranteedUpdateOptions): Promise<StoredObject> {
    for (;;) {
      options.signal?.throwIfAborted();
      const entry = this.#entries.get(key);
      const current = entry === undefined ? undefined : this.#stored(key, entry);
      if (current === undefined && !options.ignoreNotFound) throw new KeyNotFoundError(key);
      await checkPreconditions(options.preconditions, current);
      const result = await options.tryUpdate(current);
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#entries.get(key) !== entry) continue;
      if (result.delete === true && current !== undefined) {
        this.#remove(key, current);
        return current;
      }
      return this.#put(key, result.object);
    }
  }

  #remove(key: string, object: StoredObject): void {
    this.#entries.delete(key);
    this.#revision++;
    this.#changes.emit('change', { type: 'DELETED', object, revision: this.#revision, frames: new Map() });
  }

  async delete(key: string, options: DeleteOptions): Promise<StoredObject> {
    const entry = this.#entries.get(key);
    if (entry === undefined) throw new KeyNotFoundError(key);
    const current = this.#stored(key, entry);
    await checkPreconditions(options.preconditions, current);
    await options.validate?.(current);
    this.#remove(key, current);
    return current;
  }

  cachedCopy(key: string): StoredObject | undefined {
    return this.copies.get(key);
  }
  count(directory: string): Promise<number> {
    return Promise.resolve([...this.#entries.keys()].filter((key) => key.startsWith(directory)).length);
  }
  currentRevision(): Promise<number> {
    return Promise.resolve(this.#revision);
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}
