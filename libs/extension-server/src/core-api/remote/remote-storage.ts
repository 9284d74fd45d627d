import {
  errorMessage,
  isHistoryLost,
  newInternalError,
  stringifyJson,
  type KubeObject,
  type StatusError,
} from '@apichain/meta';
import {
  EncodedObject,
  jsonCodec,
  KeyNotFoundError,
  type ReadableStorage,
  type StorageListOptions,
  type StorageWatchOptions,
  type StoredList,
  type StoredObject,
  type WatchEvent,
  type WatchStream,
} from '@apichain/storage';
import { RemoteCopy } from './remote-copy.ts';
import type { RemoteResource } from './remote-resource.ts';

interface RemoteStorageOptions {
  readonly resource: RemoteResource;
  /** The prefix of keys, e.g. `/namespaces`. */
  readonly prefix: string;
  /** e.g. `namespaces`, for error messages. */
  readonly name: string;
  /** Called with every failed attempt to follow the resource, and when its copy is too large. */
  readonly onError: (error: unknown) => void;
  /** Ends the copy. */
  readonly signal: AbortSignal;
  /** The maximum size of the copy. */
  readonly maxBytes?: number;
}

const codec = jsonCodec();

/**
 * The objects of the core API as a store. resourceVersion '0' is answered from a copy that is followed from the first such read on; all other reads
 * are requests. Reads of single objects reject with InternalError when the core API cannot be read, as kube-apiserver's plugins do.
 */
export class RemoteStorage implements ReadableStorage {
  readonly resumesWatches = true;
  readonly #options: RemoteStorageOptions;
  readonly #copy: RemoteCopy;

  constructor(options: RemoteStorageOptions) {
    this.#options = options;
    const { prefix, onError, signal, maxBytes } = options;
    this.#copy = new RemoteCopy({
      store: { storage: this, prefix },
      onError,
      signal,
      maxBytes,
    });
  }

  async get(key: string, { resourceVersion }: { readonly resourceVersion: string }): Promise<StoredObject> {
    if (resourceVersion === '0' && (await this.#copy.ready())) {
      const copied = this.#copy.get(key);
      if (copied === undefined) throw new KeyNotFoundError(key);
      return copied;
    }
    const parts = key.slice(this.#options.prefix.length + 1).split('/');
    const [namespace = '', name = ''] = this.#options.resource.namespaced ? parts : ['', ...parts];
    const object = await this.#read(`${this.#options.name} ${JSON.stringify(name)}`, () =>
      this.#options.resource.get(namespace, name),
    );
    if (object === undefined) throw new KeyNotFoundError(key);
    return this.#stored(object);
  }

  /** Ignores limit and continue: the list is always complete. */
  async list(directory: string, options: StorageListOptions): Promise<StoredList> {
    const { resourceVersion, predicate, signal } = options;
    const selected = (items: readonly StoredObject[]) =>
      predicate.everything ? items : items.filter(({ attributes }) => predicate.matches(attributes));
    if (resourceVersion === '0' && (await this.#copy.ready())) {
      return { items: selected(this.#copy.list(directory)), revision: 0 };
    }
    const { resource, name } = this.#options;
    const read = () => resource.list(this.#namespaceOf(directory), signal);
    const { objects, revision } = await (resourceVersion === '0' ? this.#read(name, read) : this.#follow(read));
    return { items: selected(objects.map((object) => this.#stored(object))), revision };
  }

  /** `next` of the stream rejects when the connection fails, and with HistoryLostError. There are always bookmarks. */
  async watch(directory: string, options: StorageWatchOptions): Promise<WatchStream> {
    const stopped = new AbortController();
    const events = this.#events(directory, options, AbortSignal.any([options.signal, stopped.signal]));
    return {
      next: async () => {
        const { done, value } = await events.next();
        return done === true ? undefined : [value];
      },
      stop: () => stopped.abort(),
    };
  }

  async *#events(
    directory: string,
    { resourceVersion, predicate }: StorageWatchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent, undefined> {
    const changes = this.#options.resource.watch(this.#namespaceOf(directory), resourceVersion, signal);
    const next = () => this.#follow(() => changes.next(), signal);
    for (let change = await next(); change.done !== true; change = await next()) {
      const { type, object } = change.value;
      const revision = Number(object.metadata.resourceVersion ?? 0);
      const stored = type === 'BOOKMARK' ? undefined : this.#stored(object);
      if (stored !== undefined && !predicate.matches(stored.attributes)) continue;
      yield { type, object: stored, revision, frames: new Map() };
    }
  }

  async #read<Value>(what: string, read: () => Promise<Value>): Promise<Value> {
    try {
      return await read();
    } catch (error) {
      throw unreadable(what, error);
    }
  }

  /** Reports a failure: whoever follows the resource tries again, and need not tell why. */
  async #follow<Value>(read: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    try {
      return await read();
    } catch (error) {
      const isEnded = signal?.aborted === true || this.#options.signal.aborted;
      if (!isEnded && !isHistoryLost(error)) this.#options.onError(error);
      throw error;
    }
  }

  #namespaceOf(directory: string): string {
    return directory.slice(this.#options.prefix.length + 1).replace(/\/$/, '');
  }

  #stored(object: KubeObject): StoredObject {
    const { namespace = '', name = '', resourceVersion = '0' } = object.metadata;
    const { prefix } = this.#options;
    const key = namespace === '' ? `${prefix}/${name}` : `${prefix}/${namespace}/${name}`;
    return new EncodedObject(codec, key, Number(resourceVersion), Buffer.from(stringifyJson(object)));
  }
}

const unreadable = (what: string, error: unknown): StatusError =>
  newInternalError(`reading ${what} from the core API failed: ${errorMessage(error)}`);
