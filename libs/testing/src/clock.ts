import type { Clock } from '@apichain/meta';

/** The time of one chain: what its API shows as now, and by which times to live end. */
export interface ChainClock extends Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Lets time pass at once: resolves when what has expired by it (Events, for one) is gone. Negative: turns it back. */
  advance(milliseconds: number): Promise<void>;
  /** Makes it this late; time goes on from there. */
  set(time: Date): Promise<void>;
  /** Back to the machine's time. */
  reset(): Promise<void>;
}

/** `ageLeases` is told by how many milliseconds time jumped. Throws RangeError for what is no time. */
export class MovableClock implements ChainClock {
  readonly #ageLeases: (milliseconds: number) => Promise<void>;
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
  }

  async set(time: Date): Promise<void> {
    await this.advance(time.getTime() - this.now());
  }

  async reset(): Promise<void> {
    await this.advance(-this.#offset);
  }
}
