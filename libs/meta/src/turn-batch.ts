/**
 * The most requests that continue together. With fewer, code is loaded into the processor cache more often. With more, their live objects
 * no longer fit into the young generation of the heap and are copied repeatedly.
 */
const maxTogether = 32;

/**
 * Continues requests that become ready in one turn of the event loop together.
 *
 * A write executes more code than the processor caches hold. If requests execute it one by one, with socket reads in between, each of them
 * loads all of the code again. Requests that start together alternate at every `await`, so each piece of code is loaded once for all of
 * them. Without batches a create takes 1.6 times the processor time with 64 writers ("CREATE pods" of `npm run bench`; docs/benchmarks-parts.md,
 * "What the tuning buys", has the figures of each use). A single request waits until the turn ends.
 */
export class TurnBatch {
  #due: (() => void)[] = [];

  /** Calls `proceed` after the sockets that are ready in this turn have been read. It must not throw. */
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
