/**
 * What a timer is for. The clock of the machine makes no difference; a virtual clock does:
 *
 * - `schedule`: a time of the API, on which something becomes due.
 * - `retry`: a pause before something is tried again, for the sake of others. With nothing else to do it is over.
 * - `renewal`: a sign of life that is repeated. It may be left out while nothing happens.
 * - `check`: a look at whether something is missing or out of date. It may be left out as well, and comes after overdue renewals.
 */
export type TimerKind = 'schedule' | 'retry' | 'renewal' | 'check';

/** A source of the current time, and what waits for it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` once, when `delayMs` have passed on this clock. Returns a function that cancels it. A timer does not keep the process alive. */
  setTimer(callback: () => void, delayMs: number, kind?: TimerKind): () => void;
}

/** The longest delay of a Node timer, in milliseconds. */
const longestDelayMs = 2 ** 31 - 1;

/** The clock of the machine. Its timers may be longer than those of Node, and are never early: who looks at the time then finds that it has come. */
export const machineClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    const due = performance.now() + delayMs;
    const wait = (): NodeJS.Timeout =>
      setTimeout(elapsed, Math.min(Math.max(0, Math.ceil(due - performance.now())), longestDelayMs)).unref();
    const elapsed = () => {
      if (performance.now() < due) timer = wait();
      else callback();
    };
    let timer = wait();
    return () => clearTimeout(timer);
  },
};
