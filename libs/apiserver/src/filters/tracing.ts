import type { IncomingMessage } from 'node:http';
import { systemMonitoringGroup, systemPrivilegedGroup } from '@apichain/authn';
import { currentSpan, formatTraceparent, parseTraceparent, runInSpan, type Span, type Tracer } from '@apichain/client';
import type { RequestInfo } from '@apichain/request';
import { scopeOf, type RequestScope, type TimedPart } from '@apichain/request';
import type { Filter } from '@apichain/request';

/**
 * Records a span for each request, and one for each part of the work on it. Runs after authentication, because only trusted clients may decide what is
 * recorded. The `traceparent` header of the request is set to that span. After WithTracing of k8s.io/apiserver/pkg/endpoints/filters/traces.go.
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
    if (span.isRecording) recordParts(scope, span);
    scope.onFinish(() => {
      span.set('http.response.status_code', response.statusCode);
      span.end(response.statusCode >= 500 ? `${response.statusCode}` : undefined);
    });
    runInSpan(span, () => next());
  };
}

/** Calls of webhooks have spans of their own, with the names of the webhooks. */
const withOwnSpans: ReadonlySet<TimedPart> = new Set(['mutating-webhook', 'validating-webhook']);

/** Records the parts that audit events and the console have the times of as spans, each in the innermost span of the code that reports it. */
function recordParts(scope: RequestScope, request: Span): void {
  request.past('authentication', 'internal', scope.authenticationMs / 1000);
  scope.addTrack((part, milliseconds) => {
    if (withOwnSpans.has(part)) return;
    const current = currentSpan();
    const parent = current?.isRecording === true ? current : request;
    parent.past(part, 'internal', milliseconds / 1000);
  });
}

/** A request from an earlier server of the chain continues the trace of that server. */
const isTrusted = ({ delegated, user }: RequestScope): boolean =>
  delegated || user.groups.includes(systemPrivilegedGroup) || user.groups.includes(systemMonitoringGroup);

const header = 'traceparent';

function headerOf({ headers }: IncomingMessage): string | undefined {
  const value = headers[header];
  return Array.isArray(value) ? value[0] : value;
}

/** Sets the parsed and the raw header, because some proxies forward the raw headers. */
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

/** `GET /api/v1/namespaces/{:namespace}/pods/{:name}`: the number of span names does not grow with the number of objects. */
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
