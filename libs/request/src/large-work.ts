import type { AdmitLargeList } from '@apichain/storage';
import { currentRequest } from './current-request.ts';
import type { Place } from './places.ts';
import type { RequestScope } from './request-scope.ts';

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

/** Admits large lists of the current request; as `takePlace`. */
export const admitLargeList: AdmitLargeList = (cache) => {
  const scope = currentRequest();
  if (scope === undefined || scope.isLargeList) return undefined;
  scope.isLargeList = true;
  return awaitPlace(scope.runtime.largeLists.take(scope.user.name, cache), scope);
};

/** Keeps the place until the request is over. The promise, if there is one, is rejected with the reason when the request is aborted before it has the place. */
function awaitPlace(place: Place, scope: RequestScope): Promise<void> | undefined {
  const release = () => place.release();
  scope.onFinish(release);
  const { ready } = place;
  if (ready === undefined) return undefined;
  return new Promise((resolve, reject) => {
    void ready.then(resolve);
    scope.onAbort((reason) => {
      release();
      reject(reason instanceof Error ? reason : new Error('the request was aborted', { cause: reason }));
    });
  });
}
