import {
  HistoryLostError,
  pause,
  ReconnectBackoff,
  reflect,
  sleep,
  untilAborted,
  type GroupResource,
} from '@apichain/meta';
import type { SelectionPredicate, Storage, StoredList, StoredObject, WatchEvent } from './storage.ts';

/** The part of a Storage that servers which only read need. The objects may be those of another server, read with a client. */
export interface ReadableStorage extends Pick<Storage, 'get' | 'list' | 'watch'> {
  /** Whether a watch that ended may be continued. Without a list after it, nobody would notice that etcd was emptied or restored in between. */
  readonly resumesWatches?: boolean;
}

/** The store of a resource and the prefix of its keys. */
export interface ResourceStore<S extends ReadableStorage = ReadableStorage> {
  readonly storage: S;
  /** Without a trailing slash, e.g. `/limitranges`. */
  readonly prefix: string;
}

/** Finds the store of a resource that a server reads; undefined = the resource is not served. */
export type ResourceStores<S extends ReadableStorage = ReadableStorage> = (
  resource: GroupResource,
) => ResourceStore<S> | undefined;

/** Some of the changes of a batch of watch events, or of a list: keys that were removed, and new states of other keys. */
export interface ObjectChanges {
  readonly put: readonly StoredObject[];
  /** Keys relative to the directory: `name` or `namespace/name`. */
  readonly dropped: readonly string[];
}

export interface FollowedObjectsOptions {
  /** Undefined = the resource is not served, so there are no objects. */
  readonly store: ResourceStore | undefined;
  /**
   * Called at least once for the first list, even if it is empty, and then after every change. Many objects come in parts, between which the server
   * serves requests: the reader of 50,000 pods would hold it for seconds.
   */
  readonly onChange: (changes: ObjectChanges) => void;
  readonly onError?: (error: unknown) => void;
}

const everything: SelectionPredicate = { matches: () => true, everything: true, exactFields: {} };
/** What cannot be read configures nothing. */
const isReadable = ({ unreadable }: StoredObject): boolean => unreadable === undefined;
/** The size in bytes of the objects that are reported at a time, unless a single one is larger. */
const reportedBytes = 64 * 1024;
/** The longest wait between attempts, in milliseconds, without its random part. */
const mostRetryMs = 2_500;

/**
 * Follows the objects of one resource directly in the store, for data that a server needs itself (e.g. configuration), so that it depends on no
 * other server. Changes are reported in order: a list never reverts what a later event has reported.
 */
export class FollowedObjects {
  readonly #options: FollowedObjectsOptions;
  /** Revisions by key. */
  readonly #known = new Map<string, number>();
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  /** The report that runs, or the last one. A list and a batch of events are reported one after the other. */
  #reporting: Promise<unknown> = Promise.resolve();
  /** All changes up to this revision have been reported. */
  #revision = 0;

  constructor(options: FollowedObjectsOptions) {
    this.#options = options;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Resolves when the first list has been processed. */
  waitForSync(): Promise<void> {
    return this.#synced.promise;
  }

  /** Lists, watches, and starts again when the watch ends, until `signal` aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void> {
    const { store, onError } = this.#options;
    return reflect(
      {
        list: () =>
          store === undefined ? this.#next(() => this.#report([], [])) : this.#list(store, signal, this.#revision),
        watch: () => (store === undefined ? untilAborted(signal) : this.#watch(store, signal)),
        resumesAfter: ({ reason }) => reason === 'WatchEnded' && store?.storage.resumesWatches === true,
        onFailure: onError,
        backoff: new ReconnectBackoff({ mostMs: mostRetryMs }),
        sleep: (milliseconds) => sleep(milliseconds, signal, { ref: false }),
      },
      signal,
    );
  }

  /**
   * Reads every write acknowledged before the call. Resolves true when it found a change that the watch had not reported yet. Rejects with the
   * errors of a list.
   */
  async refresh(signal?: AbortSignal): Promise<boolean> {
    const { store } = this.#options;
    if (store === undefined) return false;
    return this.#list(store, signal);
  }

  /** `before` = the revision that is known while there is no watch; a list of an older one shows that the store was emptied or restored. */
  async #list({ storage, prefix }: ResourceStore, signal?: AbortSignal, before = 0): Promise<boolean> {
    const list = await storage.list(`${prefix}/`, {
      resourceVersion: '',
      limit: 0,
      continue: '',
      predicate: everything,
      signal,
    });
    return this.#next(() => this.#reportList(list, before));
  }

  async #reportList({ items: listed, revision }: StoredList, before: number): Promise<boolean> {
    const items = listed.filter(isReadable);
    // The revisions of a restored store mean other objects than before.
    const isRestored = revision < before;
    // The watch is ahead of the list, or nothing has been written since.
    if (this.#hasSynced && revision <= this.#revision && !isRestored) return false;
    this.#revision = revision;
    const put = isRestored ? items : items.filter((item) => this.#known.get(item.key) !== item.revision);
    const gone = this.#known.size + put.filter(({ key }) => !this.#known.has(key)).length > items.length;
    const present = gone ? new Set(items.map(({ key }) => key)) : undefined;
    const dropped = present === undefined ? [] : [...this.#known.keys()].filter((key) => !present.has(key));
    return this.#report(put, dropped);
  }

  async #watch({ storage, prefix }: ResourceStore, signal: AbortSignal): Promise<void> {
    const stream = await storage.watch(`${prefix}/`, {
      resourceVersion: String(this.#revision),
      predicate: everything,
      allowWatchBookmarks: storage.resumesWatches === true,
      prompt: true,
      signal,
    });
    for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
      const batch = events;
      await this.#next(() => this.#reportEvents(batch));
    }
  }

  async #reportEvents(events: readonly WatchEvent[]): Promise<void> {
    const put = new Map<string, StoredObject>();
    const dropped = new Set<string>();
    for (const { type, object, revision, status } of events) {
      if (type === 'ERROR') throw new HistoryLostError(status?.message);
      if (type === 'BOOKMARK') this.#revision = Math.max(this.#revision, revision);
      // A list has already reported a newer state. Events of the current revision are processed again: several keys may have the same revision.
      if (object === undefined || object.revision < this.#revision) continue;
      this.#revision = object.revision;
      put.delete(object.key);
      dropped.delete(object.key);
      if (type === 'DELETED' || !isReadable(object)) dropped.add(object.key);
      else put.set(object.key, object);
    }
    await this.#report([...put.values()], [...dropped]);
  }

  /** Runs a report after those before it, also after one that failed. */
  #next<T>(report: () => Promise<T>): Promise<T> {
    const next = this.#reporting.then(report);
    this.#reporting = next.catch(() => undefined);
    return next;
  }

  /** Reports changes, in parts. Returns whether there were any. */
  async #report(put: readonly StoredObject[], dropped: readonly string[]): Promise<boolean> {
    const changed = put.length > 0 || dropped.length > 0;
    if (changed || !this.#hasSynced) {
      const start = (this.#options.store?.prefix.length ?? 0) + 1;
      for (const key of dropped) this.#known.delete(key);
      let names: readonly string[] = dropped.map((key) => key.slice(start));
      for (const part of partsOf(put)) {
        for (const { key, revision } of part) this.#known.set(key, revision);
        this.#options.onChange({ put: part, dropped: names });
        names = [];
        await pause();
      }
    }
    this.#hasSynced = true;
    this.#synced.resolve();
    return changed;
  }
}

/** At least one part. */
function* partsOf(objects: readonly StoredObject[]): Generator<readonly StoredObject[], void, undefined> {
  let part: StoredObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    if (part.length > 0 && bytes + object.json.length > reportedBytes) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(object);
    bytes += object.json.length;
  }
  yield part;
}

/** Provides stores to components that are created before the stores are opened. */
export class LateStores {
  #stores: ResourceStores<Storage> | undefined;

  bind(stores: ResourceStores<Storage>): void {
    this.#stores = stores;
  }

  /** Throws Error before `bind`. */
  readonly open: ResourceStores<Storage> = (resource): ResourceStore<Storage> | undefined => {
    if (this.#stores === undefined) throw new Error(`the store of ${resource.resource} is not open yet`);
    return this.#stores(resource);
  };
}
