/**
 * Work over a large object keeps everybody else waiting, because one thread serves all. So it is cut into steps of at most some
 * ten milliseconds, between which others have their turn. Small requests never get to the budget, and so never wait.
 */

/** What one turn of the event loop may spend before long work lets others go first, in milliseconds. */
const budgetMs = 20;

/** When this turn was first asked for its time; undefined = not yet. */
let began: number | undefined;

function begin(): number {
  began = performance.now();
  // While this is due the event loop does not wait, so no idle time counts.
  setImmediate(() => {
    began = undefined;
  });
  return began;
}

const spent = (): number => performance.now() - (began ?? begin());

/** Those who wait, in order. One of them goes on in each turn, so that a turn never holds more than one step. */
const waiting: (() => void)[] = [];

function goOn(): void {
  // Timers and sockets come before the next one.
  if (waiting.length > 1) setImmediate(goOn);
  begin();
  waiting.shift()?.();
}

/**
 * To be called between two steps of work that may be long: undefined while there is time left in this turn, else what resolves in a
 * later turn. Nothing that must happen at once may lie on both sides of it.
 */
export function pause(): Promise<void> | undefined {
  if (spent() < budgetMs) return undefined;
  return new Promise((resolve) => {
    // In this turn of the loop the sockets have had theirs: the next one but one comes after they have had it again.
    if (waiting.push(resolve) === 1) setImmediate(() => setImmediate(goOn));
  });
}

/** Work in steps: between two of them it yields. What it throws is its failure. */
export type Work<T> = Generator<undefined, T, undefined>;

/** So many members of lists and objects are looked at in one step. It takes less than a millisecond. */
const membersPerStep = 256;

/** A budget that all work shares, as it shares the one thread: it says when work yields, never what it comes to. */
let members = 0;

/**
 * To be asked for each member that work looks at, however deep it lies: whether it is time to yield. So wide lists and many small ones
 * are cut alike, and small objects never yield.
 */
export const isStepDone = (): boolean => ++members % membersPerStep === 0;

/** Linear work that can stop after any step, where a generator would cost too much. */
export interface SteppedWork {
  /** Does about so many steps; answers whether all is done. */
  advance(steps: number): boolean;
}

/** Stepped work as what yields. */
export function* stepping(work: SteppedWork, stepsAtOnce = 500): Work<void> {
  while (!work.advance(stepsAtOnce)) yield;
}

/** Does the work at once. */
export function finish<T>(work: Work<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Does the work in as many turns as it needs: at once, without a promise, when one is enough. */
export function inTurns<T>(work: Work<T>): T | Promise<T> {
  if (began === undefined) begin();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const wait = pause();
    if (wait !== undefined) return continued(work, wait);
  }
}

async function continued<T>(work: Work<T>, wait: Promise<void>): Promise<T> {
  await wait;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const next = pause();
    if (next !== undefined) await next;
  }
}
