/** The bounds of what a consumer of a watch takes at once. */
export interface ChunkLimits {
  readonly events: number;
  /** Bytes that the events hold in memory. A single event may hold more. */
  readonly bytes: number;
}

/** Taken entries leave a hole. This many holes are removed together, because each removal moves all other entries. */
const compactAfter = 1_024;

/** A line of entries, taken from the front in chunks that are bounded in number and bytes. */
export class EventChunks<T> {
  readonly #bytesOf: (entry: T) => number;
  #entries: (T | undefined)[];
  #taken = 0;

  /** `bytesOf` gives what an entry holds in memory, in bytes. */
  constructor(bytesOf: (entry: T) => number, entries: readonly T[] = []) {
    this.#bytesOf = bytesOf;
    this.#entries = [...entries];
  }

  get length(): number {
    return this.#entries.length - this.#taken;
  }

  push(entry: T): void {
    this.#entries.push(entry);
  }

  /** The next entries within the limits, at least one if there is any. They are no longer referred to. */
  take(limits: ChunkLimits): T[] {
    const chunk: T[] = [];
    let bytes = 0;
    while (chunk.length < limits.events) {
      const entry = this.#entries[this.#taken];
      if (entry === undefined) break;
      bytes += this.#bytesOf(entry);
      if (chunk.length > 0 && bytes > limits.bytes) break;
      chunk.push(entry);
      this.#entries[this.#taken++] = undefined;
    }
    if (this.length === 0) this.clear();
    else if (this.#taken >= compactAfter && this.#taken >= this.length) this.#compact();
    return chunk;
  }

  clear(): void {
    this.#entries = [];
    this.#taken = 0;
  }

  #compact(): void {
    this.#entries = this.#entries.slice(this.#taken);
    this.#taken = 0;
  }
}
