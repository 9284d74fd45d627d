import { formatMicroTime, type Status } from '@apichain/meta';
import type { RecordedRequest } from './recorded-requests.ts';
import { matches, type RequestFacts, type RequestMatch } from './request-match.ts';

/** As in an audit policy (https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy). */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

export interface AuditRule {
  readonly level: AuditLevel;
  readonly match?: RequestMatch;
}

/** true: `RequestResponse` of everything; rules: the first that matches says what is kept, and nothing is of requests that none matches. */
export type AuditOptions = boolean | AuditLevel | readonly AuditRule[];

export function levelFor(audit: AuditOptions, facts: RequestFacts): AuditLevel {
  if (typeof audit === 'boolean') return audit ? 'RequestResponse' : 'None';
  if (typeof audit === 'string') return audit;
  return audit.find(({ match = {} }) => matches(facts, match))?.level ?? 'None';
}

/** The fields of an audit.k8s.io/v1 Event that tests ask for. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: 'RequestReceived' | 'ResponseComplete' | 'Panic';
  readonly requestURI: string;
  readonly verb: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly userAgent: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly apiVersion?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code: number; readonly status?: string; readonly reason?: string };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
}

/** The request as an event of the audit log: the latest stage that it has reached. Undefined at level None. */
export function auditEventOf(request: RecordedRequest): AuditEvent | undefined {
  const { auditLevel: level, auditID, url, verb, user, groups, userAgent, receivedAt, status } = request;
  if (level === 'None') return undefined;
  const { requestObject, responseObject } = request;
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level,
    auditID,
    stage: stageOf(status),
    requestURI: url,
    verb,
    user: { username: user, groups },
    userAgent,
    ...(request.resource === '' ? {} : { objectRef: objectRefOf(request) }),
    ...(status === undefined ? {} : { responseStatus: responseStatusOf(status, responseObject) }),
    ...(requestObject === undefined ? {} : { requestObject }),
    ...(responseObject === undefined ? {} : { responseObject }),
    requestReceivedTimestamp: formatMicroTime(new Date(receivedAt)),
  };
}

function stageOf(status: number | undefined): AuditEvent['stage'] {
  if (status === undefined) return 'RequestReceived';
  return status === 0 ? 'Panic' : 'ResponseComplete';
}

function objectRefOf(request: RecordedRequest): NonNullable<AuditEvent['objectRef']> {
  const { resource, namespace, name, group: apiGroup, version: apiVersion, subresource } = request;
  const given = Object.entries({ namespace, name, apiGroup, apiVersion, subresource }).filter(
    ([, text]) => text !== '',
  );
  return { resource, ...Object.fromEntries(given) };
}

function responseStatusOf(code: number, document: unknown): NonNullable<AuditEvent['responseStatus']> {
  const status = document as Partial<Status> | null | undefined;
  if (status?.kind !== 'Status') return { code };
  return {
    code,
    ...(status.status === undefined ? {} : { status: status.status }),
    ...(status.reason === undefined ? {} : { reason: status.reason }),
  };
}
