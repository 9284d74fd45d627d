/** A reproducible random number generator (mulberry32): the same seed gives the same sequence on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** In [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** From the first to the last. */
  readonly integer = (first: number, last: number): number => first + this.below(last - first + 1);

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A value with a probability, else nothing. */
  readonly maybe = <T>(probability: number, value: () => T): T | undefined =>
    this.chance(probability) ? value() : undefined;

  readonly pick = <T>(choices: readonly [T, ...T[]] | readonly T[]): T => {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new RangeError('nothing to pick from');
    return choice;
  };

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}

/** A separate generator for each request of a run, so that a request can be reproduced without the earlier requests. */
export const randomOf = (seed: number, index: number): Random =>
  new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
