import { currentRequest } from './current-request.ts';
import { Places } from './places.ts';

/**
 * The bytes of large bodies of one user that are worked on at the same time. A document takes up to 60 times its bytes while it is decoded, defaulted
 * and validated. All requests share one thread, so that waiting in line costs a user hardly any time.
 */
const bytesInWork = 2 * 1024 * 1024;

const places = new Places(bytesInWork);

/**
 * To be called before work on a large body. Resolves when the current request may begin; undefined if it may at once. It keeps its place until it is
 * over. Rejects with the reason if the request is aborted meanwhile.
 */
export function takePlace(bytes: number): Promise<void> | undefined {
  const scope = currentRequest();
  if (scope === undefined) return undefined;
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
