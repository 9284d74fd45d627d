import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for the given milliseconds, or until the signal is aborted. Never throws: the caller checks the signal. With `ref: false` the timer
 * does not keep the process alive.
 */
export async function sleep(milliseconds: number, signal: AbortSignal, options: { ref?: boolean } = {}): Promise<void> {
  try {
    await delay(milliseconds, undefined, { ...options, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
