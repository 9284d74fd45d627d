import { newResourceExpired } from '@apichain/meta';
import {
  type CacheEvent,
  type DirectWatches,
  failedWatch,
  tooOld,
  openWatchQueue,
  type StorageWatchOptions,
  type StoredObject,
  type WatchStream,
  type WatchQueue,
} from '@apichain/storage';
import type { CacherOptions } from './cacher-options.ts';
import type { CacheFeed } from './cache-feed.ts';
import type { WatchCache } from './watch-cache.ts';
import { WatcherSet } from './watcher-set.ts';

/** The maximum number of watches fed directly by etcd. Further ones end with the error that their start is too old. */
const maxDirectWatches = 256;

/** Where a watch begins. */
export interface WatchStart {
  readonly directory: string;
  readonly options: StorageWatchOptions;
  /** The watcher has every change up to this revision. */
  readonly revision: number;
  /** Sent first, as ADDED events. With `announceEnd`, a bookmark that marks their end follows. */
  readonly initial?: { readonly objects: readonly StoredObject[]; readonly announceEnd: boolean };
}

/** The watches of one resource. They are fed from the cache's history where it goes back far enough, else directly from etcd. */
export class CacheWatches {
  readonly #options: CacherOptions;
  readonly #feed: CacheFeed;
  readonly #direct: DirectWatches;
  readonly #watchers: WatcherSet;
  readonly #oldestRevision: () => Promise<number>;

  /** `oldestRevision` gives the first revision from which etcd still has every change. */
  constructor(options: CacherOptions, feed: CacheFeed, direct: DirectWatches, oldestRevision: () => Promise<number>) {
    this.#options = options;
    this.#feed = feed;
    this.#direct = direct;
    this.#oldestRevision = oldestRevision;
    this.#watchers = new WatcherSet(['metadata.name', ...(options.indexFields ?? [])]);
  }

  /** Offers the event to the watchers that it may concern. */
  dispatch(event: CacheEvent): void {
    this.#watchers.dispatch(event);
  }

  /** The changes after the revision: first from the cache's history, then as they happen. No step may await: an event would be missed. */
  open(start: WatchStart): WatchStream | Promise<WatchStream> {
    const missed = this.#feed.current?.since(start.revision);
    if (missed === undefined) return this.#openDirect(start);
    const queue = this.#newQueue(start);
    queue.resume(missed);
    if (!queue.isEnded) this.#watchers.add(queue);
    return queue;
  }

  /** A watch that begins before the cache's history; etcd may not have compacted that history yet. */
  async #openDirect(start: WatchStart): Promise<WatchStream> {
    const { revision } = start;
    const oldest = await this.#oldestRevision();
    const expired = () => tooOld(revision, Math.max(oldest, this.#feed.current?.floor ?? 0));
    if (revision < oldest || this.#direct.size >= maxDirectWatches)
      return failedWatch(newResourceExpired(expired()), revision);
    return this.#direct.feed(this.#newQueue(start), revision, expired);
  }

  /** A queue that contains the initial objects. */
  #newQueue({ initial, ...watch }: WatchStart): WatchQueue {
    const queue = openWatchQueue(this.#options, watch, (ended) => {
      this.#watchers.delete(ended);
      this.#direct.stop(ended);
    });
    if (initial !== undefined) queue.start(initial.objects, initial.announceEnd);
    return queue;
  }

  /** Ends the watchers of the cache with 410: the cache was filled again, and they may have missed events. */
  expire(cache: WatchCache): void {
    for (const watcher of [...this.#watchers]) watcher.expire(tooOld(watcher.revision, cache.floor));
  }

  /** Sends the bookmarks that are due at `now` of `performance.now()`. */
  sendBookmarks(cache: WatchCache, now: number): void {
    for (const watcher of [...this.#watchers]) watcher.offerBookmark(cache.revision, now);
    this.#direct.offerBookmarks(now);
  }

  /** Ends all watches. */
  finish(): void {
    for (const watcher of [...this.#watchers]) watcher.finish();
    this.#direct.finish();
  }
}
