import type { Event } from '@apichain/etcd-api/mvccpb';
import { type EtcdConnection, EtcdError, watchEtcd, type EtcdWatch, prefixEnd } from '@apichain/etcd-client';
import { isStatusError, ReconnectBackoff, reflect } from '@apichain/meta';
import {
  type CacheEvent,
  toStatusError,
  type EtcdList,
  type EtcdStore,
  type ListPlan,
  type SelectionPredicate,
  type EncodedObject,
} from '@apichain/storage';
import { FreshnessGate } from './freshness-gate.ts';
import type { HistoryBudget } from './history-budget.ts';
import type { RingLimits } from './ring.ts';
import { WatchCache } from './watch-cache.ts';

export interface CacheFeedOptions {
  readonly connection: EtcdConnection;
  readonly store: EtcdStore;
  readonly directory: string;
  readonly indexFields: readonly string[];
  readonly ringLimits?: RingLimits;
  readonly historyBudget?: HistoryBudget;
  readonly onEvent: (event: CacheEvent) => void;
  /** The cache was filled. After a refill the watchers of the previous cache must end, because they may have missed events. */
  readonly onFilled: (cache: WatchCache, refilled: boolean) => void;
  readonly onEventsReceived?: (count: number) => void;
  /** etcd reported its progress. */
  readonly onProgress?: () => void;
}

const everything: SelectionPredicate = { matches: () => true, everything: true, exactFields: {} };
const wholeList: ListPlan = { freshness: { kind: 'consistent' }, limit: 0, start: '', continued: false };
/** The first and the longest wait between attempts, in milliseconds, without their random parts. */
const waits = { firstMs: 25, mostMs: 500 };
const eventDelete = 1;

/**
 * Keeps a WatchCache in step with etcd from its first use on. Fills the cache with a list and follows a watch. Resumes the watch after a failure,
 * and fills the cache again when etcd has compacted the history in between.
 */
export class CacheFeed {
  readonly #options: CacheFeedOptions;
  readonly #gate: FreshnessGate;
  readonly #closing = new AbortController();
  #cache: WatchCache | undefined;
  #watch: EtcdWatch | undefined;
  #running: Promise<void> | undefined;
  /** False where etcd is too old: its progress answers may overtake events. */
  #trustsProgress = false;
  /** The revision at which the history of the first filling begins; 0 = the revision of its list. */
  #historyStart = 0;
  #firstFill: PromiseWithResolvers<WatchCache> = Promise.withResolvers();

  constructor(options: CacheFeedOptions) {
    this.#options = options;
    this.#gate = new FreshnessGate(() => {
      if (this.#trustsProgress) this.#watch?.requestProgress();
    });
  }

  /** The cache, if it has ever been filled. */
  get current(): WatchCache | undefined {
    return this.#cache;
  }

  /**
   * Starts the feed on first use. The history begins after the revision `since`, if etcd still has it: after a first watch from that revision, other
   * watches are likely to begin there too. Throws the StatusError of the current attempt to fill the cache.
   */
  ready(since = 0): Promise<WatchCache> {
    if (this.#running === undefined) {
      this.#historyStart = since;
      this.#running = this.#run();
    }
    return this.#cache === undefined ? this.#firstFill.promise : Promise.resolve(this.#cache);
  }

  /** Whether the cache reaches `revision` within `timeout` milliseconds. */
  async waitFor(revision: number, timeout: number): Promise<boolean> {
    if (this.#cache !== undefined && this.#cache.revision >= revision) return true;
    return this.#gate.wait(revision, timeout);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#watch?.cancel();
    this.#gate.close();
    await this.#running;
    this.#cache?.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    await reflect(
      {
        list: () => this.#fill(),
        watch: () => this.#follow(),
        // If the handler of the events failed, not the connection, the cache may contain events that its watchers have not received.
        resumesAfter: ({ error }) => error instanceof EtcdError,
        onFailure: (error) => this.#failFirstFill(error),
        backoff: new ReconnectBackoff(waits),
      },
      this.#closing.signal,
    );
    this.#failFirstFill(new Error('the store is closed'));
  }

  #failFirstFill(error: unknown): void {
    if (this.#cache !== undefined) return;
    const { promise, reject } = this.#firstFill;
    this.#firstFill = Promise.withResolvers();
    // Avoids an unhandled rejection when no caller awaits this attempt.
    promise.catch(() => undefined);
    reject(toStatusError(error));
  }

  async #fill(): Promise<void> {
    const { store, indexFields, ringLimits, historyBudget } = this.#options;
    const { items, revision } = await this.#list();
    const refilled = this.#cache !== undefined;
    const cache = new WatchCache(items, revision, indexFields, ringLimits, historyBudget);
    this.#cache?.close();
    this.#cache = cache;
    store.forgetRecentWrites();
    this.#options.onFilled(cache, refilled);
    this.#firstFill.resolve(cache);
    this.#gate.reached(revision);
  }

  /** The state at the start of the history; the watch continues from its revision. */
  async #list(): Promise<EtcdList> {
    const { store, directory } = this.#options;
    const revision = this.#historyStart;
    this.#historyStart = 0;
    if (revision > 0) {
      const past: ListPlan = { ...wholeList, freshness: { kind: 'exact', revision } };
      try {
        return await store.listObjects(directory, past, everything);
      } catch (error) {
        // The revision is compacted or does not exist yet.
        if (!isStatusError(error, 'Expired') && !isStatusError(error, 'Timeout')) throw error;
      }
    }
    return store.listObjects(directory, wholeList, everything);
  }

  async #follow(): Promise<void> {
    const cache = this.#cache;
    if (cache === undefined || this.#isClosed) return;
    this.#trustsProgress = await this.#options.connection.supportsProgress();
    const key = this.#options.store.etcdKey(this.#options.directory);
    this.#watch = await watchEtcd(this.#options.connection, {
      key,
      rangeEnd: prefixEnd(key),
      startRevision: cache.revision + 1,
      prevKv: false,
      onEvents: (events) => this.#take(cache, events),
      onProgress: (revision) => {
        this.#options.onProgress?.();
        cache.advance(revision);
        this.#gate.reached(cache.revision);
      },
    });
    if (this.#isClosed) this.#watch.cancel();
    try {
      await this.#watch.ended;
    } finally {
      this.#watch = undefined;
    }
  }

  async #take(cache: WatchCache, events: readonly Event[]): Promise<void> {
    const { store } = this.#options;
    this.#options.onEventsReceived?.(events.length);
    for (const { type, kv } of events) {
      if (kv === undefined) continue;
      const key = store.storeKey(kv.key);
      if (type === eventDelete) store.noteDeletion(key, kv.modRevision);
      const object = type === eventDelete ? undefined : store.readCacheEvent(kv);
      const settled: EncodedObject | undefined = object instanceof Promise ? await object : object;
      const event = cache.apply(key, kv.modRevision, settled);
      if (event !== undefined) this.#options.onEvent(event);
    }
    this.#gate.reached(cache.revision);
  }
}
