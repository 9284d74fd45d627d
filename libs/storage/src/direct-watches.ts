import type { EtcdConnection } from '@apichain/etcd-client';
import { DirectWatch } from './direct-watch.ts';
import { toStatusError } from './status-error.ts';
import type { EtcdStore } from './etcd-store.ts';
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
