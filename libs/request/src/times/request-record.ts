import { ownText } from '@apichain/meta';
import type { RequestInfo } from '../request-info.ts';
import type { RequestScope } from '../request-scope.ts';
import { rounded, type RequestTimes, type ServiceTime } from './request-times.ts';

/**
 * A request, as the first service of the chain that got it saw it. Plain data, so that it can be a line of a log or an event. Each text that the
 * client sent has at most `maxText` characters.
 */
export interface RequestRecord {
  /** The id in audit events, in the logs of all services and in the header `Audit-Id`. */
  readonly auditID: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Until the response was complete, or the connection was closed: of a watch, until its end. Of an open request, until its response began. */
  readonly milliseconds: number;
  /** The user, after impersonation. */
  readonly user: string;
  readonly userAgent: string;
  /** The verb of a request for a resource: `list`, `watch`, `create`; else the HTTP method in lower case. */
  readonly verb: string;
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly uri: string;
  /** What a request for a resource is about. Members that it does not have are empty. */
  readonly resource?: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
  /** The status of the response; 0 when the client was gone before there was one. */
  readonly code: number;
  /** The service that answered: the last one that got the request. */
  readonly answeredBy: string;
  /** The services that got the request, in this order. */
  readonly services: readonly ServiceTime[];
  /** Of a long-running request that succeeds: true in the record of its opening, false in that of its end. Absent otherwise. */
  readonly isOpen?: boolean;
}

/** Is told of requests. Must not block. */
export interface RequestObserver {
  /** The response of a long-running request, such as a watch, begins, or its connection is taken over. */
  opened?(record: RequestRecord): void;
  /** The response was sent, or the connection was closed. */
  finished(record: RequestRecord): void;
}

const maxText = 2_048;

/** A text of a request as it may be kept. */
const kept = (text: string): string => (text.length <= maxText ? text : ownText(text.slice(0, maxText)));

/** The record of a request whose response is complete; with `isOpen: true` of one whose response begins, with the status `code`. */
export function recordOf(
  scope: RequestScope,
  times: RequestTimes,
  { isOpen, code = codeOf(scope) }: { readonly isOpen?: boolean | undefined; readonly code?: number } = {},
): RequestRecord {
  const { request, requestInfo: info } = scope;
  const { services, elapsed } = times;
  return {
    auditID: kept(scope.auditId),
    receivedAt: scope.receivedAt,
    milliseconds: rounded(elapsed),
    user: kept(scope.user.name),
    userAgent: kept(scope.userAgent),
    verb: info.verb,
    method: request.method ?? '',
    uri: kept(request.url ?? ''),
    ...(info.isResourceRequest ? { resource: resourceOf(info) } : {}),
    code,
    answeredBy: services.at(-1)?.service ?? '',
    services,
    ...(isOpen === undefined ? {} : { isOpen }),
  };
}

const resourceOf = (info: RequestInfo): RequestRecord['resource'] => ({
  group: kept(info.apiGroup),
  version: kept(info.apiVersion),
  resource: kept(info.resource),
  subresource: kept(info.subresource),
  namespace: kept(info.namespace),
  name: kept(info.name),
});

const codeOf = ({ taken, response }: RequestScope): number =>
  taken ? switchingProtocols : response.headersSent ? response.statusCode : 0;

/** The connection was taken over, so the response object was not used. */
export const switchingProtocols = 101;
