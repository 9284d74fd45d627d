interface PathNode {
  isWritten: boolean;
  readonly next: Map<string, PathNode>;
}

const newNode = (): PathNode => ({ isWritten: false, next: new Map() });

/** A set of written JSON pointers. It tells whether a path, or a parent of it, was written. */
export class WrittenPaths {
  readonly #root = newNode();

  add(pointer: string): void {
    let node = this.#root;
    for (const token of pointer.split('/')) {
      let next = node.next.get(token);
      if (next === undefined) node.next.set(token, (next = newNode()));
      node = next;
    }
    node.isWritten = true;
  }

  /** Whether the path, or that of a container around it, was written. */
  covers(pointer: string): boolean {
    let node: PathNode | undefined = this.#root;
    for (const token of pointer.split('/')) {
      node = node.next.get(token);
      if (node === undefined) return false;
      if (node.isWritten) return true;
    }
    return false;
  }
}
