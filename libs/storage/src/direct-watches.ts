import type { Event } from '@apichain/etcd-api/mvccpb';
import { watchEtcd, prefixEnd, type EtcdConnection, type EtcdWatch } from '@apichain/etcd-client';
import { HistoryLostError } from '@apichain/meta';
import { CacheEvent } from './cache-event.ts';
import type { EtcdStore } from './etcd-store.ts';
import { toStatusError } from './status-error.ts';
import type { WatchQueue } from './watch-queue.ts';

/** The watchers of a resource that are fed directly by etcd. */
export class DirectWatches {
  readonly #connection: EtcdConnection;
  readonly #store: EtcdStore;
  readonly #running = new Map<WatchQueue, DirectWatch>();

  constructor(connection: EtcdConnection, store: EtcdStore) {
    this.#connection = connection;
    this.#store = store;
  }

  get size(): number {
    return this.#running.size;
  }

  /**
   * Feeds a queue with the changes after `revision`. `expired` returns the message of the 410 for a history that etcd does not have. Throws
   * StatusError when no connection can be established.
   */
  async feed(queue: WatchQueue, revision: number, expired?: () => string): Promise<WatchQueue> {
    const watch = new DirectWatch(this.#connection, this.#store, queue, expired);
    this.#running.set(queue, watch);
    try {
      await watch.start(revision);
    } catch (error) {
      queue.stop();
      throw toStatusError(error);
    }
    if (queue.isEnded) watch.stop();
    return queue;
  }

  /** Stops feeding a queue that has ended, if this object feeds it. */
  stop(queue: WatchQueue): void {
    this.#running.get(queue)?.stop();
    this.#running.delete(queue);
  }

  /** No progress of etcd is tracked for these watchers: a bookmark can only repeat the last revision that they received. */
  offerBookmarks(now: number): void {
    for (const queue of this.#running.keys()) queue.offerBookmark(queue.revision, now);
  }

  /** Ends all watches. */
  finish(): void {
    for (const queue of [...this.#running.keys()]) queue.finish();
  }
}

const eventDelete = 1;
const compactedWatch = () => 'The resourceVersion for the provided watch is too old.';

/**
 * Feeds one watcher directly from etcd, for a start that is older than the watch cache's history or for a resource without a cache. Ends with 410
 * when etcd does not have that history either, and without an error when the connection breaks: the client then resumes. A start that does not exist
 * yet is waited for.
 */
class DirectWatch {
  readonly #connection: EtcdConnection;
  readonly #store: EtcdStore;
  readonly #queue: WatchQueue;
  readonly #expired: () => string;
  #watch: EtcdWatch | undefined;
  #stopped = false;

  /** `expired` returns the message of the 410. */
  constructor(connection: EtcdConnection, store: EtcdStore, queue: WatchQueue, expired: () => string = compactedWatch) {
    this.#connection = connection;
    this.#store = store;
    this.#queue = queue;
    this.#expired = expired;
  }

  /** Throws EtcdError when no connection can be established. */
  async start(startRevision: number): Promise<void> {
    const key = this.#store.etcdKey(this.#queue.directory);
    this.#watch = await watchEtcd(this.#connection, {
      key,
      rangeEnd: prefixEnd(key),
      startRevision: startRevision + 1,
      prevKv: true,
      mayBeAhead: true,
      onEvents: (events) => this.#take(events),
    });
    if (this.#stopped) this.#watch.cancel();
    this.#watch.ended.then(
      () => {
        this.#queue.stop();
      },
      (error: unknown) => {
        if (error instanceof HistoryLostError) this.#queue.expire(this.#expired());
        else this.#queue.finish();
      },
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#watch?.cancel();
  }

  async #take(events: readonly Event[]): Promise<void> {
    for (const { type, kv, prevKv } of events) {
      if (kv === undefined) continue;
      const object = type === eventDelete ? undefined : await this.#store.readEvent(kv);
      const previous = prevKv === undefined ? undefined : await this.#store.readEvent(prevKv);
      this.#queue.offer(new CacheEvent(this.#store.storeKey(kv.key), kv.modRevision, object, previous));
    }
  }
}
