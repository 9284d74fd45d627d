/** Parts with more elements are split in two. */
const maxPart = 2048;

/**
 * A list that inserts and removes elements at any index without moving all elements that follow. JSON patches need it: ten thousand
 * operations at the front of an array of a million elements would move ten thousand million elements.
 */
export class LongList {
  readonly #parts: unknown[][] = [];
  length = 0;

  constructor(items: readonly unknown[]) {
    for (let at = 0; at < items.length; at += maxPart / 2) this.#parts.push(items.slice(at, at + maxPart / 2));
    this.length = items.length;
  }

  /** The part that holds `index`, its place, and the position in it. The last part also takes elements added at the end. */
  #find(index: number): { part: unknown[]; place: number; at: number } {
    let at = index;
    for (const [place, part] of this.#parts.entries()) {
      if (at < part.length || place === this.#parts.length - 1) return { part, place, at };
      at -= part.length;
    }
    const part: unknown[] = [];
    this.#parts.push(part);
    return { part, place: 0, at };
  }

  get(index: number): unknown {
    const { part, at } = this.#find(index);
    return part[at];
  }

  set(index: number, value: unknown): void {
    const { part, at } = this.#find(index);
    part[at] = value;
  }

  insert(index: number, value: unknown): void {
    const { part, place, at } = this.#find(index);
    part.splice(at, 0, value);
    this.length++;
    if (part.length > maxPart) this.#parts.splice(place + 1, 0, part.splice(maxPart / 2));
  }

  remove(index: number): void {
    const { part, place, at } = this.#find(index);
    part.splice(at, 1);
    this.length--;
    if (part.length === 0) this.#parts.splice(place, 1);
  }

  toArray(): unknown[] {
    return this.#parts.flat();
  }
}
