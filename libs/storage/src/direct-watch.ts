import type { Event } from '@apichain/etcd-api/mvccpb';
import { type EtcdConnection, watchEtcd, type EtcdWatch, prefixEnd } from '@apichain/etcd-client';
import { HistoryLostError } from '@apichain/meta';
import { CacheEvent } from './cache-event.ts';
import type { EtcdStore } from './etcd-store.ts';
import type { WatchQueue } from './watch-queue.ts';

const eventDelete = 1;
const compactedWatch = () => 'The resourceVersion for the provided watch is too old.';

/**
 * Feeds one watcher directly from etcd, for a start that is older than the watch cache's history or for a resource without a cache. Ends with 410
 * when etcd does not have that history either, and without an error when the connection breaks: the client then resumes. A start that does not exist
 * yet is waited for.
 */
export class DirectWatch {
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
