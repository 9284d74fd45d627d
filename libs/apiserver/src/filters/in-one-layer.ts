import { findScope } from '@apichain/request';
import type { Filter } from '@apichain/request';

/**
 * Filters as one, run in the order given: Express matches a layer's path and method anew for each of its layers, which for a dozen
 * filters that want every request costs as much as the rest of an answer. A request that was answered or given up meanwhile goes no further,
 * whichever filter it waits in: a deadline that has passed must not be followed by the work.
 */
export function inOneLayer(filters: readonly Filter[]): Filter {
  return (request, response, next) => {
    let position = 0;
    const scope = findScope(request);
    const step = (error?: unknown): void => {
      const filter = filters[position++];
      if (error !== undefined || filter === undefined) {
        next(error);
        return;
      }
      if (scope?.isAborted === true || response.writableEnded) return;
      try {
        filter(request, response, step);
      } catch (thrown) {
        next(thrown);
      }
    };
    step();
  };
}
