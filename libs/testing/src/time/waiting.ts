/** What waits for its turn. The seed of `random` determines the order, whatever the order of arrival. */
export class Waiting {
  readonly #random: () => number;
  readonly #waiting: { readonly what: string; readonly proceed: () => void }[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Resolves when it is the turn of `what`. */
  wait(what: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry = { what, proceed: resolve };
    // Sorted by name: what arrives in the same turn of the event loop has no order of its own.
    const place = this.#waiting.findLastIndex((other) => other.what <= what);
    this.#waiting.splice(place + 1, 0, entry);
    return promise;
  }

  /** Lets one proceed. Returns false if none waits. */
  release(): boolean {
    const [chosen] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
    chosen?.proceed();
    return chosen !== undefined;
  }

  releaseAll(): void {
    for (const { proceed } of this.#waiting.splice(0)) proceed();
  }
}
