import { currentRequest } from './current-request.ts';
import { Places } from './places.ts';
import type { RequestScope } from './request-scope.ts';

/**
 * The bytes of large bodies and documents of one user that are worked on at the same time. A document takes up to 60 times its bytes while it is decoded, defaulted
 * and validated. All requests share one thread, so that waiting in line costs a user hardly any time.
 */
const bytesInWork = 2 * 1024 * 1024;

/** A smaller stored document needs no place, however small the body is that changes it. */
const largeDocument = 192 * 1024;

const places = new Places(bytesInWork);
/** The requests that have a place or wait for one. A second place of the same request could wait for the first. */
const placed = new WeakSet<RequestScope>();

/**
 * To be called before work on a large body. Resolves when the current request may begin; undefined if it may at once. It keeps its place until it is
 * over, and gets no second one. Rejects with the reason if the request is aborted meanwhile.
 */
export function takePlace(bytes: number): Promise<void> | undefined {
  const scope = currentRequest();
  if (scope === undefined || placed.has(scope)) return undefined;
  placed.add(scope);
  const place = places.take(scope.user.name, bytes);
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

/** To be called before a stored document of so many bytes is changed; as `takePlace`, for a large one. */
export const takePlaceForDocument = (bytes: number): Promise<void> | undefined =>
  bytes < largeDocument ? undefined : takePlace(bytes);
