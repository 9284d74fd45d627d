/** After a watch that lasted at least this long, in milliseconds, the backoff starts from its initial value. */
const stableMs = 1_000;

interface ReconnectBackoffOptions {
  /** The first wait and the longest one, in milliseconds, without their random part. */
  readonly firstMs?: number;
  readonly mostMs?: number;
  /** Returns numbers from 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number;
}

/**
 * How long to wait before a list or watch is repeated, whether it failed or was ended by the server. The wait doubles each time, plus a random part
 * of up to 100%, so that the clients of a restarted server do not reconnect at the same time. Follows the reflector of client-go.
 */
export class ReconnectBackoff {
  readonly #firstMs: number;
  readonly #mostMs: number;
  readonly #random: () => number;
  #nextMs: number;

  constructor({ firstMs = 100, mostMs = 10_000, random = Math.random }: ReconnectBackoffOptions = {}) {
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
    this.#random = random;
    this.#nextMs = firstMs;
  }

  /** Milliseconds to wait after a watch that was open for `lastedMs` milliseconds; 0 = it could not be opened. */
  next(lastedMs: number): number {
    if (lastedMs >= stableMs) this.#nextMs = this.#firstMs;
    const wait = this.#nextMs;
    this.#nextMs = Math.min(wait * 2, this.#mostMs);
    return wait * (1 + this.#random());
  }
}
