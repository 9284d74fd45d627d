import { ownText } from './own-memory.ts';

interface CacheLimits {
  readonly maxEntries: number;
  /** Of all keys together, and of the values that count. The default is 1 Mi. */
  readonly maxCharacters?: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly characters: number;
}

/**
 * A cache whose keys clients choose. It is bounded by the characters of its keys too, because the head of a request may have a MiB. The entry that was
 * set first is dropped first. A key of more than a hundredth of the characters is not kept: it would displace too many others.
 */
export class BoundedCache<Value> {
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  readonly #entries = new Map<string, Entry<Value>>();
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
    return this.#entries.get(key)?.value;
  }

  /** Adds an entry as the newest one, or replaces it. `size`: as how many characters the value counts, if it may be larger than its key. */
  set(key: string, value: Value, size = 0): void {
    this.delete(key);
    const characters = key.length + size;
    if (characters > this.#maxCharacters / 100) return;
    this.#entries.set(ownText(key), { value, characters });
    this.#characters += characters;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#characters <= this.#maxCharacters) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#characters -= entry.characters;
  }

  clear(): void {
    this.#entries.clear();
    this.#characters = 0;
  }
}
