import { DirectWatch } from './direct-watch.ts';
import type { EtcdConnection } from './etcd-client.ts';
import { toStatusError } from './etcd-error.ts';
import type { EtcdStore } from './etcd-store.ts';
import type { WatchQueue } from './watch-queue.ts';

/** The watchers of a resource that etcd itself feeds. */
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
   * Feeds a queue with what changes after `revision`; `expired` words the 410 of a history that etcd does not have. Throws StatusError when no
   * connection can be had.
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

  /** Stops what feeds a queue that has ended, if it is one of these. */
  stop(queue: WatchQueue): void {
    this.#running.get(queue)?.stop();
    this.#running.delete(queue);
  }

  /** Nobody follows etcd for these: a bookmark can only repeat what their watchers know. */
  offerBookmarks(now: number): void {
    for (const queue of this.#running.keys()) queue.offerBookmark(queue.revision, now);
  }

  /** Ends all. */
  finish(): void {
    for (const queue of [...this.#running.keys()]) queue.finish();
  }
}
