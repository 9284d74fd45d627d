import { BoundedCache } from '@apichain/meta';

interface Backoff {
  readonly delayMs: number;
  readonly since: number;
}

const initialMs = 1_000;
const maxMs = 15 * 60_000;

/** How long a failed pod of a node stays before it is replaced: longer after each failure, so that a node that rejects pods is not flooded. */
export class FailedPods {
  readonly #backoffs = new BoundedCache<Backoff>({ maxEntries: 10_000 });

  /** How many milliseconds a failed pod still has to stay. With 0 it is replaced now, and the next one stays longer. */
  replaceIn(key: string, now: number): number {
    const backoff = this.#backoffs.get(key);
    const passed = now - (backoff?.since ?? 0);
    if (backoff !== undefined && passed < backoff.delayMs) return backoff.delayMs - passed;
    const isRecent = backoff !== undefined && passed <= 2 * maxMs;
    this.#backoffs.set(key, { delayMs: isRecent ? Math.min(2 * backoff.delayMs, maxMs) : initialMs, since: now });
    return 0;
  }
}
