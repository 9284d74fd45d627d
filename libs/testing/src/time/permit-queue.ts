/** Grants permits to what waits for one. The seed of `random` determines the order, whatever the order of arrival. */
export class PermitQueue {
  readonly #random: () => number;
  readonly #waiting: { readonly what: string; readonly proceed: () => void }[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Resolves when `what` is granted its permit. */
  acquire(what: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry = { what, proceed: resolve };
    // Sorted by name: what arrives in the same turn of the event loop has no order of its own.
    const place = this.#waiting.findLastIndex((other) => other.what <= what);
    this.#waiting.splice(place + 1, 0, entry);
    return promise;
  }

  /** Grants one permit. Returns false if nothing waits. */
  grant(): boolean {
    const [chosen] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
    chosen?.proceed();
    return chosen !== undefined;
  }

  grantAll(): void {
    for (const { proceed } of this.#waiting.splice(0)) proceed();
  }
}
