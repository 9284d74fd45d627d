import { FairLine } from './fair-line.ts';

/**
 * Work over a large object would block the event loop. So it is cut into steps of about ten milliseconds at most, and other requests run in
 * between. Small requests stay within the budget and never wait.
 */

/** The time in milliseconds that one turn of the event loop may take before long work yields. */
const budgetMs = 20;
/** The time in milliseconds after which work that continues yields again. It is shorter, because others wait: they need several turns for a response. */
const resumedMs = 10;

/** When the time of this turn was first measured; undefined if it has not been. */
let began: number | undefined;

function begin(): number {
  began = performance.now();
  // While an immediate is pending, the event loop does not wait, so idle time is not counted.
  setImmediate(() => {
    began = undefined;
  });
  return began;
}

const spent = (): number => performance.now() - (began ?? begin());

/** The waiting work. One entry continues in each turn, so that a turn has at most one step. Its owners are served round-robin. */
const waiting = new FairLine<() => void>();

let ownerOfWork: () => unknown = () => undefined;

/**
 * Sets how the owner of the running work is found: the user whose request it belongs to, undefined for the server itself. It is only asked for when
 * work has to wait. However much work of one owner waits, the work of another is delayed by one step of it in each round.
 */
export function attributeWork(owner: () => unknown): void {
  ownerOfWork = owner;
}

function goOn(): void {
  // Timers and sockets are served before the next entry.
  if (waiting.length > 1) schedule();
  began = begin() - (budgetMs - resumedMs);
  waiting.shift()?.();
}

function schedule(): void {
  setImmediate(goOn);
  // The time of this entry is not that of the requests that are served after it in the same turn: short ones among them must not wait in line.
  setImmediate(() => {
    began = undefined;
  });
}

/**
 * Call this between two steps of work that may be long. Returns undefined while this turn has time left, else a promise that resolves in a
 * later turn. State may change in between, so steps that must be atomic must not be separated by it.
 */
export function pause(): Promise<void> | undefined {
  if (spent() < budgetMs) return undefined;
  return new Promise((resolve) => {
    // The sockets of this turn have been served already. The second immediate runs after they have been served again.
    waiting.push(ownerOfWork(), resolve);
    if (waiting.length === 1) setImmediate(schedule);
  });
}

/** What work yields between two steps: a promise if it can only go on when that is fulfilled. */
export type Step = Promise<unknown> | undefined;

/** Work in steps. It yields between two steps. It throws if it fails. */
export type Work<T> = Generator<Step, T, undefined>;

/** The number of members of lists and objects that one step visits. It takes less than a millisecond. */
const membersPerStep = 256;

/** The count is shared by all work, because all work shares one thread. It affects when work yields, never its result. */
let members = 0;

/**
 * Whether it is time to yield. Call this for each member that the work visits, at any depth. So one long list and many short ones yield
 * equally often, and small objects do not yield.
 */
export const isStepDone = (): boolean => ++members % membersPerStep === 0;

/** Linear work, such as that of a reader, that can stop after any step: its state is in its fields. */
export interface SteppedWork {
  /** Runs about this many steps. Returns whether all are done. */
  advance(steps: number): boolean;
}

/** Runs the work to its end in as many turns as it needs. */
export async function inSlices(work: SteppedWork, stepsAtOnce = 500): Promise<void> {
  while (!work.advance(stepsAtOnce)) {
    const wait = pause();
    if (wait !== undefined) await wait;
  }
}

/** Runs the work to its end without yielding. Throws Error for work that has to wait for something. */
export function finish<T>(work: Work<T>): T {
  let step = work.next();
  for (; step.done !== true; step = work.next())
    if (step.value !== undefined) throw new Error('work that waits for something cannot be finished at once');
  return step.value;
}

/** Runs the work in as many turns as it needs. If one turn is enough, it returns the result without a promise. */
export function inTurns<T>(work: Work<T>): T | Promise<T> {
  if (began === undefined) begin();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const wait = step.value ?? pause();
    if (wait !== undefined) return continued(work, wait);
  }
}

async function continued<T>(work: Work<T>, wait: Promise<unknown>): Promise<T> {
  await wait;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const next = step.value ?? pause();
    if (next !== undefined) await next;
  }
}
