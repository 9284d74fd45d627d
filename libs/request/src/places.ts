import type { ListedCache } from '@apichain/storage';

/** A place of one request among the large requests of its owner. */
export interface Place {
  /** Resolves when the request may go on; undefined if it need not wait. */
  readonly ready: Promise<void> | undefined;
  /** Gives the place back, or leaves the line. */
  release(): void;
}

/** What the requests of one owner hold, as far as it is bounded. */
interface Room<Demand> {
  readonly isEmpty: boolean;
  /** Requests that do not fit keep those behind them in line, so that a large one has its turn. */
  readonly isInOrder: boolean;
  fits(demand: Demand): boolean;
  /** Returns what leaves the room again. */
  enter(demand: Demand): () => void;
}

interface Waiting<Demand> {
  readonly demand: Demand;
  readonly proceed: () => void;
}

interface Owner<Demand> {
  readonly room: Room<Demand>;
  readonly line: Set<Waiting<Demand>>;
}

/** Bounds what the large requests of each owner hold. Further requests of that owner wait in line; those of others do not. */
export class Places<Demand> {
  readonly #makeRoom: () => Room<Demand>;
  readonly #owners = new Map<string, Owner<Demand>>();

  constructor(makeRoom: () => Room<Demand>) {
    this.#makeRoom = makeRoom;
  }

  take(name: string, demand: Demand): Place {
    const owner = this.#owners.get(name) ?? { room: this.#makeRoom(), line: new Set<Waiting<Demand>>() };
    this.#owners.set(name, owner);
    const { room, line } = owner;
    let leave = () => {};
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      leave();
      this.#admit(name, owner);
    };
    const mayPass = line.size === 0 || !room.isInOrder;
    if (mayPass && room.fits(demand)) {
      leave = room.enter(demand);
      return { ready: undefined, release };
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting<Demand> = {
      demand,
      proceed: () => {
        leave = room.enter(demand);
        resolve();
      },
    };
    leave = () => line.delete(waiting);
    line.add(waiting);
    return { ready: promise, release };
  }

  #admit(name: string, { room, line }: Owner<Demand>): void {
    for (const waiting of line) {
      if (room.fits(waiting.demand)) {
        line.delete(waiting);
        waiting.proceed();
      } else if (room.isInOrder) break;
    }
    if (room.isEmpty && line.size === 0) this.#owners.delete(name);
  }
}

/** Holds a sum of `limit`. A single request may demand more. */
export class Sum implements Room<number> {
  readonly isInOrder = true;
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  get isEmpty(): boolean {
    return this.#held === 0;
  }

  fits(amount: number): boolean {
    return this.#held === 0 || this.#held + amount <= this.#limit;
  }

  enter(amount: number): () => void {
    this.#held += amount;
    return () => (this.#held -= amount);
  }
}

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
