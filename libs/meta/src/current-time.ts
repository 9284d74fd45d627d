import { AsyncResource } from 'node:async_hooks';
import { formatTime } from '@apichain/go-text';
import { machineClock, type Clock, type TimerKind } from './clock.ts';
import { currentRuntime, withRuntime } from './runtime.ts';

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
