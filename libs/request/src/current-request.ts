import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestScope } from './request-scope.ts';

/** Emptied when the request is over, so that what it has begun and what goes on without it (a watch cache) keeps nothing of it alive. */
interface CurrentRequest {
  scope: RequestScope | undefined;
}

const current = new AsyncLocalStorage<CurrentRequest>();

/** Runs the work on a request: its timers, promises and callbacks are known to be of this request. */
export function runForRequest(scope: RequestScope, work: () => void): void {
  const request: CurrentRequest = { scope };
  scope.onFinish(() => {
    request.scope = undefined;
  });
  current.run(request, work);
}

/** The request that the running code works on, unless there is none or it is over. */
export const currentRequest = (): RequestScope | undefined => current.getStore()?.scope;
