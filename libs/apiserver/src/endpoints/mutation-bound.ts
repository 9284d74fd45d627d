import { newTimeout } from '@apichain/meta';
import { findScope } from '@apichain/request';
import type { EndpointRequest } from './scope.ts';

/** No write takes longer than this, whatever the server allows its requests. Source: requestTimeoutUpperBound of endpoints/handlers. */
const upperBoundMs = 34_000;

/**
 * Runs the part of a write that may have to wait or be repeated: webhooks, conflicts, the store. Throws Timeout, and aborts the request's
 * signal, when the time is over; what the work does afterwards no longer matters.
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
