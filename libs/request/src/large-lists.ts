import type { ListedCache } from '@apichain/storage';
import type { Room } from './places.ts';

/** A list of a user may begin beside an earlier one that still runs when the cache has replaced at most this many bytes of objects since then. */
const maxReplacedBytes = 32 * 1024 * 1024;

/** A list that is in memory. */
interface Held {
  readonly cache: ListedCache | undefined;
  /** `replacedBytes` of the cache when the list began. */
  readonly replacedBytes: number;
}

/**
 * Bounds what the large lists of a user keep in memory that nothing else does, however slowly clients read: objects that were read from etcd for one list, and
 * objects that the watch cache has replaced since. Lists of one cache share the objects that have not changed.
 */
export class LargeLists implements Room<ListedCache | undefined> {
  readonly isInOrder = false;
  readonly #held = new Set<Held>();

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  fits(cache: ListedCache | undefined): boolean {
    return ![...this.#held].some(
      (other) =>
        other.cache === cache && (cache === undefined || cache.replacedBytes - other.replacedBytes > maxReplacedBytes),
    );
  }

  enter(cache: ListedCache | undefined): () => void {
    const held = { cache, replacedBytes: cache?.replacedBytes ?? 0 };
    this.#held.add(held);
    return () => this.#held.delete(held);
  }
}
