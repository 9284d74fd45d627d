/**
 * How many go on together. With fewer the code is fetched more often; with more, what all of them hold at the same time no longer fits into
 * the space for new objects, and is copied over and over.
 */
const maxTogether = 32;

/**
 * Lets what becomes due in one turn of the event loop go on side by side.
 *
 * A write runs through more code than the caches of a processor hold. Requests that go through it one by one, with the reading of sockets in
 * between, fetch all of it anew each time; those that start together take turns at every `await`, so that each piece of code is fetched once
 * for all of them. Without it a create takes 1.6 times the processor time with 64 writers ("CREATE pods" of `npm run bench`; docs/benchmarks.md,
 * "What the tuning buys", has the figures of each use). A lone request waits until the turn ends.
 */
export class TurnBatch {
  #due: (() => void)[] = [];

  /** Calls `proceed` when the sockets that are ready in this turn have been read. It must not throw. */
  add(proceed: () => void): void {
    if (this.#due.push(proceed) === 1) this.#schedule();
  }

  #schedule(): void {
    setImmediate(() => {
      const together = this.#due.splice(0, maxTogether);
      if (this.#due.length > 0) this.#schedule();
      for (const proceed of together) proceed();
    });
  }
}
