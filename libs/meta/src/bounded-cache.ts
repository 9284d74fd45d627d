import { ownText } from './own-text.ts';

interface CacheLimits {
  readonly maxEntries: number;
  /** Of all keys together. The default is 1 Mi. */
  readonly maxCharacters?: number;
}

/**
 * A cache whose keys clients choose. It is bounded by the characters of its keys too, because the head of a request may have a MiB. The entry that was
 * set first is dropped first. A key of more than a hundredth of the characters is not kept: it would displace too many others.
 */
export class BoundedCache<Value> {
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  readonly #entries = new Map<string, Value>();
  #characters = 0;

  constructor({ maxEntries, maxCharacters = 1 << 20 }: CacheLimits) {
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** Adds an entry as the newest one, or replaces it. */
  set(key: string, value: Value): void {
    this.delete(key);
    if (key.length > this.#maxCharacters / 100) return;
    this.#entries.set(ownText(key), value);
    this.#characters += key.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#characters <= this.#maxCharacters) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    if (this.#entries.delete(key)) this.#characters -= key.length;
  }

  clear(): void {
    this.#entries.clear();
    this.#characters = 0;
  }
}
