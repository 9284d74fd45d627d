import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newServiceUnavailable } from '@apichain/meta';
import type { ProtobufCodec } from '@apichain/request';
import { attachScope, RequestScope } from '@apichain/request';
import { splitUrl } from '@apichain/request';

export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Attaches a scope to a request that has just come; undefined when its URL cannot be read, and nobody has answered yet. */
export function enter(
  request: IncomingMessage,
  response: ServerResponse,
  protobuf: ProtobufCodec | undefined,
): RequestScope | undefined {
  const url = splitUrl(request.url ?? '/');
  if (url === undefined) return undefined;
  const scope = new RequestScope(request, response, url.path, url.query);
  scope.protobuf = protobuf;
  attachScope(scope);
  return scope;
}

/** The scope ends with the answer, or when the client goes away. */
export function endWithResponse(scope: RequestScope): void {
  const { response } = scope;
  response.on('close', () => {
    if (scope.taken) return;
    // An HTTP/2 response calls itself finished when its stream was reset and nothing waits to be sent.
    const isWhole = response.writableEnded && response.writableFinished;
    if (!isWhole) scope.abort(newServiceUnavailable('the client closed the connection'));
    scope.finish();
  });
  response.on('error', () => response.destroy());
}
