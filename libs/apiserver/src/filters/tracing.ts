import type { IncomingMessage } from 'node:http';
import { systemMonitoringGroup, systemPrivilegedGroup } from '@apichain/authn';
import { formatTraceparent, parseTraceparent, runInSpan, type Tracer } from '@apichain/client';
import type { RequestInfo } from '@apichain/request';
import { scopeOf, type RequestScope } from '@apichain/request';
import type { Filter } from '@apichain/request';

/**
 * A span for each request, after authentication: who is trusted with it may decide what is recorded. What the request is passed on with
 * says that it is part of that span. After WithTracing of k8s.io/apiserver/pkg/endpoints/filters/traces.go.
 */
export function tracing(tracer: Tracer): Filter {
  return (request, response, next) => {
    const scope = scopeOf(request);
    const caller = parseTraceparent(headerOf(request));
    const attributes = {
      'http.request.method': request.method ?? '',
      'http.target': request.url ?? '',
      'audit-id': scope.auditId.slice(0, 64),
    };
    const span = tracer.serve(spanName(scope), caller, isTrusted(scope), attributes, scope.receivedAt);
    setHeader(request, formatTraceparent(span.context));
    scope.onFinish(() => {
      span.set('http.response.status_code', response.statusCode);
      span.end(response.statusCode >= 500 ? `${response.statusCode}` : undefined);
    });
    runInSpan(span, () => next());
  };
}

/** What an earlier server of the chain has passed on is in the trace that it began. */
const isTrusted = ({ delegated, user }: RequestScope): boolean =>
  delegated || user.groups.includes(systemPrivilegedGroup) || user.groups.includes(systemMonitoringGroup);

const header = 'traceparent';

function headerOf({ headers }: IncomingMessage): string | undefined {
  const value = headers[header];
  return Array.isArray(value) ? value[0] : value;
}

/** Both forms: some pass on the headers as they were written. */
function setHeader(request: IncomingMessage, value: string): void {
  request.headers[header] = value;
  const raw = request.rawHeaders;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() !== header) continue;
    raw[i + 1] = value;
    return;
  }
  raw.push(header, value);
}

/** `GET /api/v1/namespaces/{:namespace}/pods/{:name}`: few names, however many objects there are. */
function spanName({ request, requestInfo }: RequestScope): string {
  const method = request.method ?? '';
  return requestInfo.isResourceRequest ? `${method} ${pathPattern(requestInfo)}` : method;
}

function pathPattern(info: RequestInfo): string {
  const segments = [
    info.apiPrefix,
    info.apiGroup,
    info.apiVersion,
    ...(info.namespace === '' ? [] : ['namespaces', '{:namespace}']),
    info.resource,
    info.name === '' ? '' : '{:name}',
    info.subresource,
  ];
  return segments
    .filter((segment) => segment !== '')
    .map((segment) => `/${segment}`)
    .join('');
}
