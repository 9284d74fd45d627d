import type { IncomingMessage } from 'node:http';
import { StatusError, type Status } from '@apichain/meta';
import { acceptsAny, wireFormatsOf, type WireFormats } from '@apichain/request';
import { patchMediaTypes } from '../endpoints/patch/patch-media-types.ts';
import type { Route } from './installed-resources.ts';

/** An error with the message of go-restful, as apiserver formats it (serviceErrorHandler of k8s.io/apiserver/pkg/server). */
function routerFailure(code: number, reason: string, message: string): StatusError {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    details: {},
    code,
  };
  return new StatusError(status);
}

function producedBy(
  { endpoint, lists }: Route,
  method: string | undefined,
  { objectMediaTypes, streamMediaTypes }: WireFormats,
): readonly string[] {
  if (endpoint.isText) return ['text/plain', ...objectMediaTypes];
  return lists && method === 'GET' ? [...objectMediaTypes, ...streamMediaTypes] : objectMediaTypes;
}

/**
 * The two media type checks that go-restful makes before it calls an endpoint of a built-in kind: `Content-Type` of
 * patches and `Accept`. Throws 415 and 406.
 */
export function checkRouteMediaTypes(request: IncomingMessage, route: Route): void {
  if (route.endpoint.takesSubpath) return;
  const formats = wireFormatsOf(request);
  if (request.method === 'PATCH') {
    const accepted = patchMediaTypes(false, formats);
    const given = (request.headers['content-type'] ?? '').split(',');
    // One supported type of a list is enough here. The endpoint refuses such a list later, with a different message.
    if (!given.some((type) => accepted.includes((type.split(';', 1)[0] ?? '').trim()))) {
      throw routerFailure(415, 'UnsupportedMediaType', '415: Unsupported Media Type');
    }
  }
  const produced = producedBy(route, request.method, formats);
  if (acceptsAny(request.headers.accept, produced)) return;
  const available = produced.join(', ');
  throw routerFailure(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${available}`);
}
