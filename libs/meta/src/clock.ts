import { AsyncLocalStorage } from 'node:async_hooks';
import { formatTime } from '@apichain/go-text';

/** What says how late it is, in milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

const clocks = new AsyncLocalStorage<Clock>();

/**
 * The time that the API shows and goes by, in milliseconds since the epoch: of creationTimestamp, deletionTimestamp, conditions, managed
 * fields, times to live, ages. Time-outs and measurements go by Date.now() and performance.now() instead.
 */
export const currentTime = (): number => clocks.getStore()?.now() ?? Date.now();

/** The same as a metav1.Time, in whole seconds: `2026-01-02T03:04:05Z`. */
export const currentTimestamp = (): string => formatTime(new Date(currentTime()));

/** Runs `action`, and whatever it leaves running, by another clock than the machine's. */
export const withClock = <T>(clock: Clock, action: () => T): T => clocks.run(clock, action);
