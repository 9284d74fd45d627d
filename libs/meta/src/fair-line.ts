/** Entries that wait, in one line for each owner. The owners are served round-robin, so that many entries of one delay those of another by one entry only. */
export class FairLine<T> {
  /** In the order in which the owners are served next. No line is empty. */
  readonly #lines = new Map<unknown, T[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(owner: unknown, entry: T): void {
    this.#length++;
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, [entry]);
    else line.push(entry);
  }

  /** The entry that `shift` takes next. */
  first(): T | undefined {
    for (const [, line] of this.#lines) return line[0];
    return undefined;
  }

  /** The first entry of the owner that was not served for longest. */
  shift(): T | undefined {
    for (const [owner, line] of this.#lines) {
      const entry = line.shift();
      this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      this.#length--;
      return entry;
    }
    return undefined;
  }
}
