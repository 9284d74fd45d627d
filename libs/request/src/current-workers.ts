import type { WorkerPool } from '@apichain/worker-pool';
import { currentRequest } from './current-request.ts';

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
