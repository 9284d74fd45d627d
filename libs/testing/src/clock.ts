import { machineClock, type Clock } from '@apichain/meta';

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

interface Timer {
  readonly callback: () => void;
  readonly due: number;
  cancel: () => void;
}

/** A clock with an offset. `ageLeases` is called with the milliseconds of each jump. Throws RangeError for an invalid time. */
export class MovableClock implements ChainClock {
  readonly #ageLeases: (milliseconds: number) => Promise<void>;
  /** In the order in which they were set. */
  readonly #timers = new Set<Timer>();
  #offset = 0;

  constructor(ageLeases: (milliseconds: number) => Promise<void>) {
    this.#ageLeases = ageLeases;
  }

  now(): number {
    return Date.now() + this.#offset;
  }

  setTimer(callback: () => void, delayMs: number): () => void {
    const timer: Timer = { callback, due: this.now() + delayMs, cancel: () => undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      timer.cancel();
      this.#timers.delete(timer);
    };
  }

  async advance(milliseconds: number): Promise<void> {
    if (!Number.isFinite(milliseconds)) throw new RangeError(`the clock cannot be advanced by ${milliseconds} ms`);
    this.#offset += milliseconds;
    await this.#ageLeases(milliseconds);
    for (const timer of [...this.#timers].sort((a, b) => a.due - b.due)) {
      timer.cancel();
      this.#arm(timer);
    }
  }

  async set(time: Date): Promise<void> {
    await this.advance(time.getTime() - this.now());
  }

  async reset(): Promise<void> {
    await this.advance(-this.#offset);
  }

  /** Timers that are due are called in later turns, in the order in which they are armed. */
  #arm(timer: Timer): void {
    timer.cancel = machineClock.setTimer(
      () => {
        this.#timers.delete(timer);
        timer.callback();
      },
      Math.max(0, timer.due - this.now()),
    );
  }
}
