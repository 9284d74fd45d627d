import { AsyncLocalStorage } from 'node:async_hooks';
import { attributeWork } from '@apichain/meta';
import type { RequestScope } from './request-scope.ts';

/** Emptied when the request is over, so that work which outlives the request (a watch cache) does not keep the request in memory. */
interface CurrentRequest {
  scope: RequestScope | undefined;
}

const current = new AsyncLocalStorage<CurrentRequest>();

/** Runs the work on a request. Timers, promises and callbacks that it starts are attributed to this request. */
export function runForRequest(scope: RequestScope, work: () => void): void {
  const request: CurrentRequest = { scope };
  scope.onFinish(() => {
    request.scope = undefined;
  });
  current.run(request, work);
}

/** The request that the running code belongs to; undefined when there is none or it is over. */
export const currentRequest = (): RequestScope | undefined => current.getStore()?.scope;

// Before a request is authenticated it is anonymous, so that a client without credentials shares the work time of all such clients.
attributeWork(() => currentRequest()?.user.name);
