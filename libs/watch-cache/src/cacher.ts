import { createLeaseManager } from '@apichain/etcd-client';
import { inTurns, newTooManyRequests, pause, StatusError, type KubeObject } from '@apichain/meta';
import {
  DirectWatches,
  toStatusError,
  EtcdStore,
  failedWatch,
  toDirectory,
  largeListBytes,
  planList,
  type ListPlan,
  parseResourceVersion,
  type CacheState,
  type DeleteOptions,
  type GuaranteedUpdateOptions,
  type Storage,
  type StorageListOptions,
  type StorageWatchOptions,
  type StoredList,
  type StoredObject,
  type WatchStream,
  formatResource,
  listEverything,
  readingAttributes,
  type EncodedObject,
  UncachedStore,
  whenAdmitted,
  type AwaitingPlace,
} from '@apichain/storage';
import type { CacherOptions } from './cacher-options.ts';
import { CacheFeed } from './cache-feed.ts';
import { CacheFreshness } from './cache-freshness.ts';
import { findingWithoutAttributes, listingFromCache } from './cache-list.ts';
import { CacheWatches } from './cache-watches.ts';
import type { WatchCache } from './watch-cache.ts';

const defaultFillTimeoutMs = 5_000;
/** How often bookmarks are sent and the history is trimmed, in milliseconds. */
const bookmarkInterval = 1_000;
/** Value of Retry-After in seconds; grows with the time that filling the cache takes. Source: cacher/delegator of k8s.io/apiserver. */
const retryAfter = (downtime: number) => Math.min(30, Math.max(1, Math.ceil((downtime / 1_000) * 0.06)));

/** The Storage of one resource. Writes go to etcd; reads and watches use a watch cache, which is filled on the first read or watch. */
class Cacher implements Storage {
  readonly #options: CacherOptions;
  readonly #root: string;
  readonly #resource: string;
  readonly #store: EtcdStore;
  readonly #feed: CacheFeed;
  readonly #watches: CacheWatches;
  readonly #freshness: CacheFreshness;
  #bookmarkTimer: NodeJS.Timeout | undefined;
  /** When the first request that needs the cache arrived, by `performance.now()`. */
  #fillingSince: number | undefined;

  constructor(options: CacherOptions) {
    const { connection, codec, indexFields = [], metrics } = options;
    this.#options = options;
    this.#root = toDirectory(options.directory);
    this.#resource = formatResource(options.resource);
    this.#store = new EtcdStore({
      connection,
      codec,
      leases: options.leases ?? createLeaseManager(connection),
      cache: {
        revision: () => this.#feed.current?.revision,
        get: (key) => this.#feed.current?.get(key),
      },
      transformer: options.transformer,
      view: options.view,
    });
    this.#feed = new CacheFeed({
      connection,
      store: this.#store,
      directory: this.#root,
      indexFields,
      ringLimits: options.ringLimits,
      historyBudget: options.historyBudget,
      onEvent: (event) => {
        this.#watches.dispatch(event);
      },
      onFilled: (cache, refilled) => {
        metrics?.cacheInitialized?.(this.#resource, cache.size);
        if (refilled) this.#watches.expire(cache);
        else this.#startBookmarkTimer();
      },
      onEventsReceived: (count) => metrics?.eventsReceived?.(this.#resource, count),
      onProgress: () => metrics?.bookmark?.(this.#resource),
    });
    this.#freshness = new CacheFreshness({
      connection,
      store: this.#store,
      feed: this.#feed,
      key: this.#store.etcdKey(this.#root),
      onConsistentRead: (result) => metrics?.consistentRead?.(this.#resource, result),
    });
    const direct = new DirectWatches(connection, this.#store);
    this.#watches = new CacheWatches(options, this.#feed, direct, () => this.#startRevision());
  }

  create(key: string, object: KubeObject, options?: { ttlSeconds?: number }): Promise<StoredObject> {
    return this.#store.create(key, object, options);
  }

  guaranteedUpdate(key: string, options: GuaranteedUpdateOptions): Promise<StoredObject> {
    return this.#store.guaranteedUpdate(key, options);
  }

  delete(key: string, options: DeleteOptions): Promise<StoredObject> {
    return this.#store.delete(key, options);
  }

  cachedCopy(key: string): StoredObject | undefined {
    return this.#store.cachedCopy(key);
  }

  count(directory: string): Promise<number> {
    return this.#store.count(directory);
  }

  currentRevision(): Promise<number> {
    return this.#store.currentRevision();
  }

  async get(key: string, { resourceVersion }: { resourceVersion: string }): Promise<StoredObject> {
    const minimum = parseResourceVersion(resourceVersion);
    const { current } = this.#feed;
    if (resourceVersion === '') return preferCached(await this.#store.get(key), current);
    const cache = current ?? (await this.#filledCache());
    const cached = cache.get(key);
    if (cached !== undefined && (minimum === 0 || cache.revision >= minimum)) return cached;
    return this.#store.get(key, minimum);
  }

  list(path: string, options: StorageListOptions): Promise<StoredList> {
    return whenAdmitted(() => this.#tryList(path, options));
  }

  async #tryList(path: string, options: StorageListOptions): Promise<StoredList | AwaitingPlace> {
    const plan = planList(options);
    const directory = toDirectory(path);
    if (this.#isPartBeforeFilling(directory)) return this.#listFromEtcd(directory, plan, options);
    const cache = await this.#filledCache();
    const began = performance.now();
    const revision = await this.#freshness.servableRevision(plan.freshness, cache);
    if (plan.freshness.kind !== 'any')
      this.#options.metrics?.waitedForCache?.(this.#resource, (performance.now() - began) / 1000);
    const { predicate } = options;
    // A list of many objects begins with a long step.
    await pause();
    // A refill may have replaced the cache in the meantime.
    const current = this.#feed.current ?? cache;
    const request = { cache: current, root: this.#root, directory, plan, predicate };
    const unread = await inTurns(findingWithoutAttributes(request));
    if (unread.length > 0) await inTurns(readingAttributes(unread));
    const cached =
      revision === undefined ? undefined : await inTurns(listingFromCache(request, revision.exact ?? current.revision));
    if (cached === undefined) return this.#listFromEtcd(directory, plan, options);
    const admitted = isLarge(cached) ? options.admit?.(current) : undefined;
    if (admitted !== undefined) return { admitted };
    this.#options.metrics?.listed?.(this.#resource, 'watchcache', cached.items.length);
    return cached;
  }

  #isPartBeforeFilling(directory: string): boolean {
    return this.#options.partsFillCache === false && this.#feed.current === undefined && directory !== this.#root;
  }

  async #listFromEtcd(directory: string, plan: ListPlan, options: StorageListOptions): Promise<StoredList> {
    const listed = await this.#store.list(directory, plan, options);
    this.#options.metrics?.listed?.(this.#resource, 'etcd', listed.items.length);
    return listed;
  }

  /** A revision that does not exist yet is no error: the watch sends the changes after it once they happen. */
  async watch(path: string, options: StorageWatchOptions): Promise<WatchStream> {
    const requested = parseResourceVersion(options.resourceVersion);
    const directory = toDirectory(path);
    if (this.#feed.current === undefined) await this.#filledCache(await this.#historyStart(requested));
    if (options.sendInitialEvents === true || (requested === 0 && options.sendInitialEvents !== false)) {
      return this.#watchFromState(directory, options, requested).catch((error: unknown) => {
        if (error instanceof StatusError && error.status.reason === 'Timeout') return failedWatch(error, requested);
        throw error;
      });
    }
    if (requested > 0) return this.#watches.open({ directory, options, revision: requested });
    const { resourceVersion } = options;
    // Without a resourceVersion, every write acknowledged before the request counts as already received.
    const revision = resourceVersion === '' ? await this.currentRevision() : (this.#feed.current?.revision ?? 0);
    return this.#watches.open({ directory, options, revision });
  }

  get cacheState(): CacheState | undefined {
    return this.#feed.current?.state;
  }

  async close(): Promise<void> {
    this.#watches.finish();
    await this.#feed.close();
    // Last, because a filling in progress may have started the timer.
    clearInterval(this.#bookmarkTimer);
    this.#options.onClose?.();
  }

  /**
   * The revision from which a cache filled for a watch needs history; 0 = none. No watch may begin before the start of this process, so earlier
   * history is not needed.
   */
  async #historyStart(requested: number): Promise<number> {
    if (requested === 0) return 0;
    return requested < (await this.#startRevision()) ? 0 : requested;
  }

  #startRevision(): Promise<number> {
    return this.#options.connection.startRevision().catch((error: unknown) => {
      throw toStatusError(error);
    });
  }

  /**
   * The cache, filled if necessary, with a history from the revision `since` on unless it is 0. Throws 429 when filling takes too long: holding the
   * request longer would not speed it up.
   */
  async #filledCache(since = 0): Promise<WatchCache> {
    const { current } = this.#feed;
    if (current !== undefined) return current;
    this.#fillingSince ??= performance.now();
    const { fillTimeoutMs = defaultFillTimeoutMs } = this.#options;
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), fillTimeoutMs);
    try {
      const cache = await Promise.race([this.#feed.ready(since), late.promise]);
      if (cache !== undefined) return cache;
    } finally {
      clearTimeout(timer);
    }
    throw newTooManyRequests('storage is (re)initializing', retryAfter(performance.now() - this.#fillingSince));
  }

  /** Sends the current state as ADDED events, then the changes after it. */
  async #watchFromState(directory: string, options: StorageWatchOptions, requested: number): Promise<WatchStream> {
    const { predicate, resourceVersion } = options;
    const list = await this.list(directory, {
      ...listEverything,
      resourceVersion: resourceVersion === '0' || requested > 0 ? resourceVersion : '',
      predicate,
      signal: options.signal,
    });
    const announceEnd = options.sendInitialEvents === true && options.allowWatchBookmarks;
    const initial = { objects: list.items, announceEnd };
    return this.#watches.open({ directory, options, revision: list.revision, initial });
  }

  #startBookmarkTimer(): void {
    this.#bookmarkTimer = setInterval(() => {
      const cache = this.#feed.current;
      if (cache === undefined) return;
      const now = performance.now();
      cache.trim(now);
      this.#watches.sendBookmarks(cache, now);
    }, bookmarkInterval);
    this.#bookmarkTimer.unref();
  }
}

function isLarge({ items }: StoredList): boolean {
  let bytes = 0;
  for (const { json } of items) {
    bytes += json.length;
    if (bytes > largeListBytes) return true;
  }
  return false;
}

/** The cached copy of an object read from etcd, if both have the same revision: its attributes and representations are already computed. */
function preferCached(live: EncodedObject, cache: WatchCache | undefined): StoredObject {
  const cached = cache?.get(live.key);
  return cached?.revision === live.revision ? cached : live;
}

/**
 * Creates the store of one resource. Its cache is filled on the first list or watch. Only the revision at which the process started is read at once,
 * because watches may begin at any revision after it.
 */
export function createStore(options: CacherOptions): Storage {
  if (options.watchCache === false) return new UncachedStore(options);
  // Fails while etcd is unreachable; the first watch that needs the revision reads it again.
  options.connection.startRevision().catch(() => undefined);
  return new Cacher(options);
}
