const firstMs = 100;
const mostMs = 10_000;
/** After a watch that lasted at least this long, in milliseconds, the backoff starts from its initial value. */
const stableMs = 1_000;

/**
 * How long to wait before a list or watch is repeated, whether it failed or was ended by the server. The wait doubles each time, plus a random part
 * of up to 100%, so that the clients of a restarted server do not reconnect at the same time. Follows the reflector of client-go.
 */
export class ReconnectBackoff {
  readonly #random: () => number;
  #nextMs = firstMs;

  /** `random` returns numbers from 0 (inclusive) to 1 (exclusive). */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Milliseconds to wait after a watch that was open for `lastedMs` milliseconds; 0 = it could not be opened. */
  next(lastedMs: number): number {
    if (lastedMs >= stableMs) this.#nextMs = firstMs;
    const wait = this.#nextMs;
    this.#nextMs = Math.min(wait * 2, mostMs);
    return wait * (1 + this.#random());
  }
}
