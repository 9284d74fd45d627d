import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits that many milliseconds, or until the signal is aborted: the caller asks the signal which of them it was, and nothing is thrown.
 * With `ref: false` the process does not stay alive for it.
 */
export async function sleep(milliseconds: number, signal: AbortSignal, options: { ref?: boolean } = {}): Promise<void> {
  try {
    await delay(milliseconds, undefined, { ...options, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
