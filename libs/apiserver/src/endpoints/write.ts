import { newTimeout, stringifyJson, type KubeObject } from '@apichain/meta';
import { findScope } from '@apichain/request';
import { canonicalize } from '@apichain/scheme';
import { isTooLarge } from '../registry/store-errors.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';

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

/**
 * Retries the write of an object that is too large for the store without its managedFields, which may be most of its size.
 * Source: isTooLargeError of endpoints/handlers.
 */
export async function retriedWithoutManagedFields<T>(
  object: KubeObject,
  write: (candidate: KubeObject) => Promise<T>,
): Promise<T> {
  try {
    return await write(object);
  } catch (error) {
    if (!isTooLarge(error) || object.metadata.managedFields === undefined) throw error;
    delete object.metadata.managedFields;
    return write(object);
  }
}

/**
 * Updates an object, and tries again without its managedFields when it is too large for the store. Source: UpdateResource and patchResource of
 * endpoints/handlers.
 */
export async function updatedWithinSize<T>(update: (withManagedFields: boolean) => Promise<T>): Promise<T> {
  try {
    return await update(true);
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return update(false);
  }
}

/** Records the object of a request, including defaults, for audit events. */
export function noteRequestObject(
  { codec, storage }: EndpointScope,
  { ctx }: EndpointRequest,
  object: KubeObject,
): void {
  ctx.audit?.logRequestObject(object.metadata, () =>
    stringifyJson(codec.custom ? object : canonicalize(object, storage.type)),
  );
}
