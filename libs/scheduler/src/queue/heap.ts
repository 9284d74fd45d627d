/** A binary heap with the least item first, from which any item can be removed. Each item has a key of its own. */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #positions = new Map<string, number>();
  readonly #keyOf: (item: Item) => string;
  readonly #isLess: (a: Item, b: Item) => boolean;

  constructor(keyOf: (item: Item) => string, isLess: (a: Item, b: Item) => boolean) {
    this.#keyOf = keyOf;
    this.#isLess = isLess;
  }

  get size(): number {
    return this.#items.length;
  }
  get(key: string): Item | undefined {
    const position = this.#positions.get(key);
    return position === undefined ? undefined : this.#items[position];
  }
  peek(): Item | undefined {
    return this.#items[0];
  }
  values(): readonly Item[] {
    return this.#items;
  }

  /** Adds an item, or moves the one with its key to where it belongs now. */
  add(item: Item): void {
    const position = this.#positions.get(this.#keyOf(item)) ?? this.#items.length;
    this.#put(item, position);
    this.#settle(position);
  }

  pop(): Item | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.delete(this.#keyOf(first));
    return first;
  }

  delete(key: string): boolean {
    const position = this.#positions.get(key);
    const last = this.#items.pop();
    if (position === undefined || last === undefined) {
      if (last !== undefined) this.#items.push(last);
      return false;
    }
    this.#positions.delete(key);
    if (position < this.#items.length) {
      this.#put(last, position);
      this.#settle(position);
    }
    return true;
  }

  /** Moves the item at a position up or down until the order holds. */
  #settle(position: number): void {
    let at = position;
    while (at > 0 && this.#swapIfLess(at, (at - 1) >> 1)) at = (at - 1) >> 1;
    for (;;) {
      const left = 2 * at + 1;
      const least = this.#isLessAt(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfLess(least, at)) return;
      at = least;
    }
  }

  #isLessAt(a: number, b: number): boolean {
    const [first, second] = [this.#items[a], this.#items[b]];
    return first !== undefined && second !== undefined && this.#isLess(first, second);
  }

  /** Swaps two items if the first is less. */
  #swapIfLess(a: number, b: number): boolean {
    const [first, second] = [this.#items[a], this.#items[b]];
    if (first === undefined || second === undefined || !this.#isLess(first, second)) return false;
    this.#put(first, b);
    this.#put(second, a);
    return true;
  }

  #put(item: Item, position: number): void {
    this.#items[position] = item;
    this.#positions.set(this.#keyOf(item), position);
  }
}
