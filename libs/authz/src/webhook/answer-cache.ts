import type { AuthorizationResult } from '../authorizer.ts';

interface Entry {
  readonly result: AuthorizationResult;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const maxEntries = 1_024;

/** Caches decisions by request, each for its own lifetime. The least recently used entry is evicted first. */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>();

  get(key: string): AuthorizationResult | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= Date.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.result;
  }

  put(key: string, result: AuthorizationResult, ttlMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { result, until: Date.now() + ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }
}
