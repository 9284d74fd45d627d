import { setImmediate } from 'node:timers/promises';

/** How long work may keep everybody else from the thread, in milliseconds. */
const sliceMilliseconds = 10;

/** Work that can stop after any step. */
export interface SteppedWork {
  /** Does about so many steps; answers whether all is done. */
  advance(steps: number): boolean;
}

/** Does linear work that takes long in slices, between which everybody else has a turn. Throws what the work throws. */
export async function runInSlices(work: SteppedWork, stepsAtOnce = 500): Promise<void> {
  for (;;) {
    const until = performance.now() + sliceMilliseconds;
    do if (work.advance(stepsAtOnce)) return;
    while (performance.now() < until);
    await setImmediate();
  }
}
