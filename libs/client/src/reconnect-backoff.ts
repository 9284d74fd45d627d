const firstMs = 100;
const mostMs = 10_000;
/** A watch that lasted this long, in milliseconds, was a good one: the next failure is a first one again. */
const stableMs = 1_000;

/**
 * How long to wait before a list or watch is tried again, whether the last one failed or was ended by the server: twice as long each time,
 * with up to as much again by chance, so that clients of a server that restarts come one after the other. After the reflector of client-go.
 */
export class ReconnectBackoff {
  readonly #random: () => number;
  #nextMs = firstMs;

  /** `random` gives numbers from 0 to below 1. */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Milliseconds to wait, after a watch that was open for `lastedMs`; 0 = it was not opened. */
  next(lastedMs: number): number {
    if (lastedMs >= stableMs) this.#nextMs = firstMs;
    const wait = this.#nextMs;
    this.#nextMs = Math.min(wait * 2, mostMs);
    return wait * (1 + this.#random());
  }
}
