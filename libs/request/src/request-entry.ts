import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newServiceUnavailable } from '@apichain/meta';
import { attachScope, RequestScope } from './request-scope.ts';
import { splitUrl } from './request-url.ts';
import type { ServerRuntime } from './server-runtime.ts';

/** A connection that the client asks to upgrade, and the bytes that it has sent beyond the request. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Attaches a scope to a new request. Returns undefined when the URL cannot be parsed; the caller must respond then. */
export function enter(
  request: IncomingMessage,
  response: ServerResponse,
  runtime: ServerRuntime,
): RequestScope | undefined {
  const url = splitUrl(request.url ?? '/');
  if (url === undefined) return undefined;
  const scope = new RequestScope(request, response, url.path, url.query, runtime);
  attachScope(scope);
  return scope;
}

/** Ends the scope with the response, or when the client disconnects. */
export function endWithResponse(scope: RequestScope): void {
  const { response } = scope;
  response.on('close', () => {
    if (scope.taken) return;
    // An HTTP/2 response also reports writableFinished when its stream was reset and no data is pending.
    const isWhole = response.writableEnded && response.writableFinished;
    if (!isWhole) scope.abort(newServiceUnavailable('the client closed the connection'));
    scope.finish();
  });
  response.on('error', () => response.destroy());
}
