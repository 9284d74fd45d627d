import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { WorkerPool } from '@apichain/worker-pool';
import { runForRequest } from './current-request.ts';
import { noQuery } from './negotiation/query.ts';
import { RequestScope } from './request-scope.ts';
import { ServerRuntime } from './server-runtime.ts';

/** Does the work of a test as that of a request to a server, which has these worker threads. */
export function inRequest<T>(pool: WorkerPool | undefined, work: () => T | Promise<T>): Promise<T> {
  const request = new IncomingMessage(new Socket());
  const runtime = new ServerRuntime({ makeWorkers: () => pool });
  const scope = new RequestScope(request, new ServerResponse(request), '/', noQuery, runtime);
  return new Promise((resolve, reject) => {
    runForRequest(scope, () => void Promise.resolve().then(work).then(resolve, reject));
  });
}
