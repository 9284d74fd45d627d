import { AsyncLocalStorage } from 'node:async_hooks';
import { formatTime } from '@apichain/go-text';

/** A source of the current time, in milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Calls `listener` after each jump of the clock, until `signal` aborts. A clock that does not jump has none. */
  onJump?(listener: () => void, signal: AbortSignal): void;
}

const clocks = new AsyncLocalStorage<Clock>();

/**
 * The current time of the API, in milliseconds since the epoch. It determines creationTimestamp, deletionTimestamp, conditions, managed
 * fields, times to live and ages. Time-outs and measurements use Date.now() and performance.now() instead.
 */
export const currentTime = (): number => clocks.getStore()?.now() ?? Date.now();

/** The current time of the API as a metav1.Time, in whole seconds: `2026-01-02T03:04:05Z`. */
export const currentTimestamp = (): string => formatTime(new Date(currentTime()));

/** Runs `action`, and the asynchronous work that it starts, with `clock` in place of the machine's clock. */
export const withClock = <T>(clock: Clock, action: () => T): T => clocks.run(clock, action);

/**
 * Calls `listener` after each jump of the clock of the caller, until `signal` aborts. A timer that was set for a time of the API does not notice a
 * jump: its owner looks again.
 */
export const onClockJump = (listener: () => void, signal: AbortSignal): void =>
  clocks.getStore()?.onJump?.(listener, signal);
