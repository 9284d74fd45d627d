import type { Clock } from '@apichain/meta';

/** The clock of one chain. The API shows its time as the current time, and TTLs expire by it. */
export interface ChainClock extends Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Advances the clock. Resolves when objects that have expired (Events, for example) are deleted; the chain's controllers look again at what expires
   * by time and delete it soon after. A negative value turns the clock back.
   */
  advance(milliseconds: number): Promise<void>;
  /** Sets the clock to this time. It continues to run from there. */
  set(time: Date): Promise<void>;
  /** Returns to the time of the machine. */
  reset(): Promise<void>;
}

/** A clock with an offset. `ageLeases` is called with the milliseconds of each jump. Throws RangeError for an invalid time. */
export class MovableClock implements ChainClock {
  readonly #ageLeases: (milliseconds: number) => Promise<void>;
  readonly #listeners = new Set<() => void>();
  #offset = 0;

  constructor(ageLeases: (milliseconds: number) => Promise<void>) {
    this.#ageLeases = ageLeases;
  }

  now(): number {
    return Date.now() + this.#offset;
  }

  async advance(milliseconds: number): Promise<void> {
    if (!Number.isFinite(milliseconds)) throw new RangeError(`the clock cannot be advanced by ${milliseconds} ms`);
    this.#offset += milliseconds;
    await this.#ageLeases(milliseconds);
    for (const listener of this.#listeners) listener();
  }

  onJump(listener: () => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }

  async set(time: Date): Promise<void> {
    await this.advance(time.getTime() - this.now());
  }

  async reset(): Promise<void> {
    await this.advance(-this.#offset);
  }
}
