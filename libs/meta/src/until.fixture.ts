import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 5;
/** On the slowest machine. */
const patienceMs = 60_000;

/** Repeats the attempt until it succeeds, for at most a minute. Throws the error of the last one. */
export async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  for (const deadline = Date.now() + patienceMs; ; await delay(pollMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** Waits until the condition holds. Throws Error after a minute; `what` says what was waited for. An error of the condition is thrown at once. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'the condition holds',
): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await condition()); await delay(pollMs))
    if (Date.now() > deadline) throw new Error(`not within a minute: ${typeof what === 'string' ? what : what()}`);
}
