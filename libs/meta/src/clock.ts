import { AsyncResource } from 'node:async_hooks';
import { formatTime } from '@apichain/go-text';
import { currentRuntime, withRuntime } from './runtime.ts';

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

/** The clock of the machine. Its timers may be longer than those of Node. */
export const machineClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    const due = performance.now() + delayMs;
    const wait = (): NodeJS.Timeout =>
      setTimeout(elapsed, Math.min(Math.max(0, due - performance.now()), longestDelayMs)).unref();
    const elapsed = () => {
      if (performance.now() + 1 < due) timer = wait();
      else callback();
    };
    let timer = wait();
    return () => clearTimeout(timer);
  },
};

const currentClock = (): Clock => currentRuntime()?.clock ?? machineClock;

/**
 * The current time of the API, in milliseconds since the epoch. It determines creationTimestamp, deletionTimestamp, conditions, managed
 * fields, times to live and ages. Time-outs and measurements use Date.now() and performance.now() instead.
 */
export const currentTime = (): number => currentClock().now();

/** The current time of the API as a metav1.Time, in whole seconds: `2026-01-02T03:04:05Z`. */
export const currentTimestamp = (): string => formatTime(new Date(currentTime()));

/** Runs `action`, and the asynchronous work that it starts, with `clock` in place of the machine's clock. */
export const withClock = <T>(clock: Clock, action: () => T): T => withRuntime({ ...currentRuntime(), clock }, action);

/**
 * Calls `callback` once, when `delayMs` have passed on the clock of the caller, in the caller's context. Returns a function that cancels it. For what
 * happens by the time of the API: schedules, times to live, grace periods, back-offs of controllers.
 */
export const startTimer = (callback: () => void, delayMs: number, kind?: TimerKind): (() => void) =>
  currentClock().setTimer(AsyncResource.bind(callback), delayMs, kind);

/** Resolves when `delayMs` have passed on the clock of the caller, or at once when `signal` aborts. */
export function sleepByClock(delayMs: number, signal: AbortSignal, kind?: TimerKind): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = startTimer(end, delayMs, kind);
    signal.addEventListener('abort', end, { once: true });
  });
}
