/** The share of an outage so far after which all endpoints are tried once more. A short outage is hardly prolonged, a long one by half a second. */
const share = 1 / 8;
const mostMs = 500;

/**
 * The pace at which endpoints are tried while none accepts connections. All parts of a server share it, so that their retries together cost no more
 * than those of one. The random part keeps the servers of a cluster apart.
 */
export class OutagePace {
  readonly #endpoints: number;
  readonly #random: () => number;
  #began: number | undefined;
  #triedAt = 0;

  /** `random` returns numbers from 0 (inclusive) to 1 (exclusive). */
  constructor(endpoints: number, random: () => number = Math.random) {
    this.#endpoints = endpoints;
    this.#random = random;
  }

  /** Milliseconds to wait at `now` (milliseconds) before the next endpoint is tried. */
  waitAt(now: number): number {
    this.#began ??= now;
    const round = Math.min((now - this.#began) * share, mostMs);
    return Math.max(0, this.#triedAt + (round / this.#endpoints) * (0.75 + this.#random() / 2) - now);
  }

  /** An endpoint was tried in vain. */
  tried(now: number): void {
    this.#triedAt = now;
  }

  /** The outage is over. */
  end(): void {
    this.#began = undefined;
  }
}
