interface Way {
  isWritten: boolean;
  readonly next: Map<string, Way>;
}

const newWay = (): Way => ({ isWritten: false, next: new Map() });

/** A set of written JSON pointers. It tells whether a path, or a parent of it, was written. */
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

  /** Whether the path, or that of a container around it, was written. */
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
