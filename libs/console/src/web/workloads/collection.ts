/**
 * The objects of one kind that are shown, as records with the fields that the page needs. It follows a list and the watch after it, and holds no more
 * than `max` records: those beyond are counted, and the page says so.
 */
export class Collection<Item> {
  readonly #items = new Map<string, Item>();
  readonly #max: number;
  /** The keys of the list that is being read; objects that it does not have are gone. */
  #listed: Set<string> | undefined;
  #more = 0;

  constructor(max = 20_000) {
    this.#max = max;
  }

  get items(): ReadonlyMap<string, Item> {
    return this.#items;
  }

  /** The number of objects that exist and are not here. */
  get more(): number {
    return this.#more;
  }

  /** True while there is room for another object. */
  get hasRoom(): boolean {
    return (this.#listed ?? this.#items).size < this.#max;
  }

  beginList(): void {
    this.#listed = new Set();
  }

  /** Takes an object of the list that is being read. */
  list(key: string, item: Item): void {
    if (!this.hasRoom) return;
    this.#listed?.add(key);
    this.#items.set(key, item);
  }

  /** `more` = the objects that the list did not return, because there was no room for them. */
  endList(more: number): void {
    for (const key of this.#items.keys()) if (this.#listed?.has(key) === false) this.#items.delete(key);
    this.#listed = undefined;
    this.#more = more;
  }

  /** Takes an object of a watch: an added one, or one that was changed. */
  put(key: string, item: Item, isAdded: boolean): void {
    const isKnown = this.#items.has(key);
    if (isKnown || this.hasRoom) this.#items.set(key, item);
    if (isKnown) return;
    if (isAdded && !this.#items.has(key)) this.#more++;
    if (!isAdded && this.#items.has(key)) this.#more = Math.max(0, this.#more - 1);
  }

  delete(key: string): void {
    if (!this.#items.delete(key)) this.#more = Math.max(0, this.#more - 1);
  }
}
