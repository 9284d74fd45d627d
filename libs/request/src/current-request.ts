import { AsyncLocalStorage } from 'node:async_hooks';
import { attributeWork } from '@apichain/meta';
import type { WorkerPool } from '@apichain/worker-pool';
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

/** Worker threads, and the user for whom work in them is. */
export interface Workers {
  readonly pool: WorkerPool;
  readonly owner: string;
}

/** The worker threads of the server that got the current request. Undefined without a request, and if the server has none. */
export function currentWorkers(): Workers | undefined {
  const scope = currentRequest();
  const pool = scope?.runtime.workers();
  return scope === undefined || pool === undefined ? undefined : { pool, owner: scope.user.name };
}
