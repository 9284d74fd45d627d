import { currentSpan, runInSpan } from '@apichain/client';
import type { EndpointRequest, EndpointScope } from './scope.ts';

type Serve = (call: EndpointRequest, subpath: string) => Promise<void>;

/** Wraps an endpoint in a span, named as in k8s.io/apiserver, if the request is traced. */
export function spanned(name: string, { resource, subresource }: EndpointScope, serve: Serve): Serve {
  const resourceName = subresource === '' ? resource.resource : `${resource.resource}/${subresource}`;
  return (call, subpath) => {
    const request = currentSpan();
    const { ctx, request: message } = call;
    // A watch is not counted as a list, and its span would last as long as the watch.
    if (request === undefined || ctx.requestInfo.verb === 'watch') return serve(call, subpath);
    const span = request.child(name, 'internal', {
      accept: message.headers.accept ?? '',
      protocol: `HTTP/${message.httpVersion}`,
      resource: resourceName,
      url: ctx.requestInfo.path,
      'user-agent': ctx.userAgent,
      verb: message.method ?? '',
    });
    if (span === undefined) return serve(call, subpath);
    return runInSpan(span, () => serve(call, subpath)).finally(() => span.end());
  };
}
