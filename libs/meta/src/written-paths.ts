interface Way {
  isWritten: boolean;
  readonly next: Map<string, Way>;
}

const newWay = (): Way => ({ isWritten: false, next: new Map() });

/** JSON pointers that were written, to ask whether one of them leads to a place or through it. */
export class WrittenPaths {
  readonly #root = newWay();

  add(pointer: string): void {
    let way = this.#root;
    for (const token of pointer.split('/')) {
      let next = way.next.get(token);
      if (next === undefined) way.next.set(token, (next = newWay()));
      way = next;
    }
    way.isWritten = true;
  }

  /** Whether a pointer, or the place of something that holds it, was written. */
  covers(pointer: string): boolean {
    let way: Way | undefined = this.#root;
    for (const token of pointer.split('/')) {
      way = way.next.get(token);
      if (way === undefined) return false;
      if (way.isWritten) return true;
    }
    return false;
  }
}
