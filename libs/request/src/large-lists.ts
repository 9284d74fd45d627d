import type { Place } from './places.ts';

/** A list of a user may begin beside an earlier one that still runs when the cache has replaced at most this many bytes of objects since then. */
const maxReplacedBytes = 32 * 1024 * 1024;

/** Objects that several lists have in common. */
export interface ListedCache {
  /** The bytes of all objects that have been replaced in it. */
  readonly replacedBytes: number;
}

/** A list that is in memory. */
interface Held {
  readonly cache: ListedCache | undefined;
  /** `replacedBytes` of the cache when the list began. */
  readonly replacedBytes: number;
}

interface Waiting {
  readonly cache: ListedCache | undefined;
  readonly proceed: () => void;
}

interface Owner {
  readonly held: Set<Held>;
  readonly line: Set<Waiting>;
}

/**
 * Bounds what the large lists of each user keep in memory that nothing else does, however slowly clients read: objects that were read from etcd for one list, and
 * objects that the watch cache has replaced since. A further list of that user waits until an earlier one is over; those of others do not.
 */
export class LargeLists {
  readonly #owners = new Map<string, Owner>();

  take(name: string, cache: ListedCache | undefined): Place {
    const owner = this.#owners.get(name) ?? { held: new Set<Held>(), line: new Set<Waiting>() };
    this.#owners.set(name, owner);
    let held: Held | undefined;
    const begin = () => {
      held = { cache, replacedBytes: cache?.replacedBytes ?? 0 };
      owner.held.add(held);
    };
    const release = () => {
      if (held !== undefined) owner.held.delete(held);
      this.#admit(name, owner);
    };
    if (fits(owner, cache)) {
      begin();
      return { ready: undefined, release };
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting = {
      cache,
      proceed: () => {
        begin();
        resolve();
      },
    };
    owner.line.add(waiting);
    return {
      ready: promise,
      release: () => {
        owner.line.delete(waiting);
        release();
      },
    };
  }

  #admit(name: string, owner: Owner): void {
    for (const waiting of owner.line) {
      if (!fits(owner, waiting.cache)) continue;
      owner.line.delete(waiting);
      waiting.proceed();
    }
    // A place may be given back twice, and its user may have another owner by then.
    const isOver = owner.held.size === 0 && owner.line.size === 0;
    if (isOver && this.#owners.get(name) === owner) this.#owners.delete(name);
  }
}

/** Lists of one cache share the objects that have not changed. */
function fits({ held }: Owner, cache: ListedCache | undefined): boolean {
  for (const other of held)
    if (other.cache === cache && (cache === undefined || cache.replacedBytes - other.replacedBytes > maxReplacedBytes))
      return false;
  return true;
}
