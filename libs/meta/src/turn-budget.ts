/** What one turn of the event loop may spend before long work lets others go first, in milliseconds. */
const budgetMs = 20;

/** When this turn was first asked for its time; undefined = not yet. */
let began: number | undefined;

function spent(): number {
  if (began !== undefined) return performance.now() - began;
  began = performance.now();
  // While this is due the event loop does not wait, so no idle time counts.
  setImmediate(() => {
    began = undefined;
  });
  return 0;
}

/**
 * To be called between two steps of work that may be long: undefined while there is time left in this turn, else what resolves in a
 * later one, after timers and sockets had theirs. Nothing that must happen at once may lie on both sides of it.
 */
export function pause(): Promise<void> | undefined {
  if (spent() < budgetMs) return undefined;
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
