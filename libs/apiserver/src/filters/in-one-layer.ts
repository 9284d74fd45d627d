import { findScope } from '@apichain/request';
import type { Filter } from '@apichain/request';

/**
 * Combines filters into one, run in the given order. Express matches the path and method for each of its layers. For a dozen
 * filters that costs as much as the rest of a response. A request that was answered or aborted stops at the current filter:
 * after its deadline no further work may start.
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
