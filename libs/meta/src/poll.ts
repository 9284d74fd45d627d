import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 3;
const timeoutMs = 10_000;

/** Polls until the condition holds. Throws Error after 10 s; `what` is the message. */
export async function poll(what: string | (() => string), condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; !(await condition()); await sleep(pollMs))
    if (performance.now() > deadline)
      throw new Error(`${typeof what === 'string' ? what : what()} after ${timeoutMs / 1000} s`);
}
