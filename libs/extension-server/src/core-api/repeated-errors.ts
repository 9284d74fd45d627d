import { BoundedCache, errorMessage } from '@apichain/meta';
import type { Logger } from '@apichain/request';

const quietMs = 60_000;
const remembered = { maxEntries: 200 };

/** Logs errors that are likely to repeat: each text at once, and then at most once a minute. */
export class RepeatedErrors {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #now: () => number;
  /** When each text was logged last. */
  readonly #logged = new BoundedCache<number>(remembered);

  /** `now` returns milliseconds. */
  constructor(logger: Pick<Logger, 'warn'>, now: () => number = () => performance.now()) {
    this.#logger = logger;
    this.#now = now;
  }

  /** Logs `what` with the message of the error. */
  report(what: string, error: unknown): void {
    const text = `${what}: ${errorMessage(error)}`;
    const now = this.#now();
    const last = this.#logged.get(text);
    if (last !== undefined && now - last < quietMs) return;
    this.#logged.set(text, now);
    this.#logger.warn(text);
  }
}
