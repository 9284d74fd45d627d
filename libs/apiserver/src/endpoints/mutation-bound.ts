import { newTimeout } from '@apichain/meta';
import { findScope } from '@apichain/request';
import type { EndpointRequest } from './scope.ts';

/** The maximum duration of a write, even with a longer request timeout. Source: requestTimeoutUpperBound of endpoints/handlers. */
const upperBoundMs = 34_000;

/**
 * Runs the part of a write that may wait or be retried: webhooks, conflicts, the store. When the time is over, throws Timeout and aborts the
 * request's signal. The result of the work is then ignored.
 */
export async function withinBound<T>(
  call: EndpointRequest,
  work: () => Promise<T>,
  boundMs = upperBoundMs,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = newTimeout('request did not complete within requested timeout - context deadline exceeded');
    findScope(call.request)?.abort(error);
    late.reject(error);
  }, boundMs);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
