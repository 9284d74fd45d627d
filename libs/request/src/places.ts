/** A place of one request among the large requests of its owner. */
export interface Place {
  /** Resolves when the request may go on; undefined if it need not wait. */
  readonly ready: Promise<void> | undefined;
  /** Gives the place back, or leaves the line. */
  release(): void;
}

interface Waiting {
  readonly bytes: number;
  readonly proceed: () => void;
}

interface Owner {
  held: number;
  readonly line: Set<Waiting>;
}

/** Bounds the bytes of large requests that each owner has in work. Further requests of that owner wait in line; those of others do not. */
export class Places {
  readonly #limit: number;
  readonly #owners = new Map<string, Owner>();

  /** `limit` is in bytes. A single request may be larger. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  take(name: string, bytes: number): Place {
    const owner = this.#owners.get(name) ?? { held: 0, line: new Set<Waiting>() };
    this.#owners.set(name, owner);
    if (owner.line.size === 0 && this.#fits(owner, bytes)) {
      owner.held += bytes;
      return { ready: undefined, release: this.#once(() => this.#give(name, owner, bytes)) };
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting = { bytes, proceed: resolve };
    owner.line.add(waiting);
    const release = this.#once(() => {
      if (owner.line.delete(waiting)) this.#admit(name, owner);
      else this.#give(name, owner, bytes);
    });
    return { ready: promise, release };
  }

  /** The bytes that the owner has in work. */
  held(name: string): number {
    return this.#owners.get(name)?.held ?? 0;
  }

  #once(release: () => void): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      release();
    };
  }

  #fits({ held }: Owner, bytes: number): boolean {
    return held === 0 || held + bytes <= this.#limit;
  }

  #give(name: string, owner: Owner, bytes: number): void {
    owner.held -= bytes;
    this.#admit(name, owner);
  }

  #admit(name: string, owner: Owner): void {
    for (const waiting of owner.line) {
      if (!this.#fits(owner, waiting.bytes)) break;
      owner.line.delete(waiting);
      owner.held += waiting.bytes;
      waiting.proceed();
    }
    if (owner.held === 0 && owner.line.size === 0) this.#owners.delete(name);
  }
}
