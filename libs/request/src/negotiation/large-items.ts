import { pause, type Step, type Work } from '@apichain/meta';
import { currentRequest } from '../current-request.ts';
import type { Place } from '../places.ts';

/**
 * The large items of one response. A large object takes many steps until it is encoded, and many times its bytes while it is decoded. So a user has one of them in
 * memory at a time, however many of his requests run.
 */
export class LargeItems {
  #place: Place | undefined;

  /** To be called after a step within an item. The promise resolves when the item may go on; undefined if it may at once, or belongs to no request. */
  enter(): Promise<void> | undefined {
    if (this.#place !== undefined) return undefined;
    const scope = currentRequest();
    this.#place = scope?.runtime.largeItems.take(scope.user.name, 1);
    return this.#place?.ready;
  }

  /** To be called when the item is complete, and when the response ends. */
  leave(): void {
    this.#place?.release();
    this.#place = undefined;
  }
}

/** Makes an item in as many turns as it needs. A large one has a place among the large items of its user. */
export function largeItemInTurns<T>(work: Work<T>): T | Promise<T> {
  const step = work.next();
  return step.done === true ? step.value : asLargeItem(() => continued(work), step.value);
}

async function continued<T>(work: Work<T>): Promise<T> {
  for (;;) {
    await pause();
    const step = work.next();
    if (step.done === true) return step.value;
    await step.value;
  }
}

/** Makes a large item in the place that the user of the current request has for one, and after `first`. Rejects with the error of either. */
export async function asLargeItem<T>(make: () => Promise<T>, first?: Step): Promise<T> {
  const large = new LargeItems();
  try {
    await Promise.all([large.enter(), first]);
    return await make();
  } finally {
    large.leave();
  }
}
