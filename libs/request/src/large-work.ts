import { currentRequest } from './current-request.ts';
import { awaitPlace } from './places.ts';

/** A smaller stored document needs no place, however small the body is that changes it. */
const largeDocument = 192 * 1024;

/**
 * To be called before work on a large body. Resolves when the current request may begin; undefined if it may at once. It keeps its place until it is
 * over, and gets no second one. Rejects with the reason if the request is aborted meanwhile.
 */
export function takePlace(bytes: number): Promise<void> | undefined {
  const scope = currentRequest();
  if (scope === undefined || scope.isLargeWork) return undefined;
  scope.isLargeWork = true;
  return awaitPlace(scope.runtime.largeWork.take(scope.user.name, bytes), scope);
}

/** To be called before a stored document of so many bytes is changed; as `takePlace`, for a large one. */
export const takePlaceForDocument = (bytes: number): Promise<void> | undefined =>
  bytes < largeDocument ? undefined : takePlace(bytes);
