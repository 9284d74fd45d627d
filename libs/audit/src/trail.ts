import type { UserInfo } from '@apichain/authn';
import { formatDuration } from '@apichain/go-text';
import { errorMessage, isRecord, list, parseJson, stringifyJson } from '@apichain/meta';
import type { RequestScope } from '@apichain/request';
import type { Audit } from './audit.ts';
import { AuditEvent, type ObjectReference } from '@apichain/request';
import type { AuditStage } from '@apichain/request';
import type { AuditDecision } from './policy.ts';
import { watchResponse, type RequestAudit } from '@apichain/request';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const maxUserAgentLength = 1024;
/** Latency annotations are added to slower requests. */
const slowMs = 500;

/** Emits the audit events of one request at its stages. After k8s.io/apiserver/pkg/endpoints/filters/audit.go. */
export class AuditTrail {
  readonly #scope: RequestScope;
  readonly #decision: AuditDecision;
  readonly #audit: Audit;
  readonly #notes: RequestAudit;
  /** The authenticated user, not the impersonated one. */
  readonly #user: UserInfo | undefined;
  readonly #path: ObjectReference | undefined;
  readonly #sourceIPs: readonly string[];
  #isComplete = false;
  /** When the response began, by `performance.now()`. */
  #answeredAt: number | undefined;
  /** The events of this request that the backend is still storing. */
  #pending: Promise<unknown> | undefined;

  /** `user` undefined = authentication failed. */
  constructor(scope: RequestScope, user: UserInfo | undefined, decision: AuditDecision, audit: Audit) {
    this.#scope = scope;
    this.#user = user;
    this.#decision = decision;
    this.#audit = audit;
    this.#notes = scope.noteForAudit(decision.level);
    for (const [key, value] of Object.entries(user?.auditAnnotations ?? {})) this.#notes.annotate(key, value);
    this.#sourceIPs = sourceIPs(scope.request);
    this.#path = pathOf(scope);
  }

  /** Emits the event of a stage. Returns whether the event has been stored, or was omitted by the policy. */
  reach(stage: AuditStage): boolean | Promise<boolean> {
    if (this.#decision.omitStages.has(stage)) return true;
    this.#audit.metrics.event();
    const result = this.#store(stage);
    if (typeof result !== 'boolean') this.#pending = result;
    return result;
  }

  /** If the backend throws, the event is not stored. The response is sent anyway. */
  #store(stage: AuditStage): boolean | Promise<boolean> {
    const failed = (error: unknown): boolean => {
      this.#scope.report(error);
      return false;
    };
    try {
      const result = this.#audit.backend.process([this.#event(stage)]);
      return typeof result === 'boolean' ? result : result.catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** Emits events until the end of the response. */
  follow(): void {
    const { response, longRunning } = this.#scope;
    watchResponse(response, {
      head: (code) => this.#answered(code, longRunning),
      end: () => this.#complete(),
    });
    this.#notes.onUpgrade(() => this.#answered(101, longRunning));
    this.#notes.onPanic((error) => this.#panic(error));
    // The client may disconnect before the end of the response.
    this.#scope.onFinish(() => void this.#complete());
  }

  /** Emits one event when a request that failed authentication is answered. */
  followRefusal(): void {
    watchResponse(this.#scope.response, {
      head: (code) => this.#answered(code, true),
      end: () => this.#pending,
    });
  }

  #answered(code: number, isStage: boolean): void {
    this.#answeredAt ??= performance.now();
    this.#notes.responseStatus = { ...this.#notes.responseStatus, code };
    if (isStage) void this.reach('ResponseStarted');
  }

  #complete(): Promise<unknown> | undefined {
    if (this.#isComplete) return this.#pending;
    this.#isComplete = true;
    if (this.#notes.responseStatus === undefined) {
      this.#notes.responseStatus = { status: 'Success', message: 'Connection closed early', code: 200 };
      if (this.#scope.longRunning) void this.reach('ResponseStarted');
    }
    this.#noteLatencies();
    void this.reach('ResponseComplete');
    return this.#pending;
  }

  #panic(error: unknown): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    const message = `APIServer panic'd: ${errorMessage(error)}`;
    this.#notes.responseStatus = { status: 'Failure', message, reason: 'InternalError', code: 500 };
    void this.reach('Panic');
  }

  #noteLatencies(): void {
    const total = Date.now() - this.#scope.receivedAt;
    const { latencies } = this.#notes;
    if (total <= slowMs || latencies.size === 0 || this.#scope.requestInfo.verb === 'watch') return;
    if (this.#answeredAt !== undefined) this.#notes.track('response-write', performance.now() - this.#answeredAt);
    for (const [part, milliseconds] of latencies)
      if (milliseconds > 0) this.#notes.annotate(`apiserver.latency.k8s.io/${part}`, goDuration(milliseconds));
    this.#notes.annotate('apiserver.latency.k8s.io/total', goDuration(total));
  }

  #event(stage: AuditStage): AuditEvent {
    const { level, omitManagedFields } = this.#decision;
    const { request, requestInfo, receivedAt, auditId, userAgent } = this.#scope;
    const notes = this.#notes;
    const kept = (text: string | undefined) => (omitManagedFields ? withoutManagedFields(text) : text);
    return new AuditEvent({
      level,
      auditID: auditId,
      stage,
      requestURI: request.url ?? '',
      verb: requestInfo.verb,
      user: this.#user,
      impersonatedUser: notes.impersonatedUser,
      impersonationConstraint: notes.impersonationConstraint,
      sourceIPs: this.#sourceIPs,
      userAgent:
        userAgent.length > maxUserAgentLength ? `${userAgent.slice(0, maxUserAgentLength)}...TRUNCATED` : userAgent,
      objectRef: notes.objectRef(this.#path),
      responseStatus: notes.responseStatus,
      requestObject: level === 'Metadata' ? undefined : kept(notes.requestObject),
      responseObject: level === 'RequestResponse' ? kept(notes.responseObject) : undefined,
      requestReceivedAt: receivedAt,
      stageAt: stage === 'RequestReceived' ? receivedAt : Date.now(),
      annotations: { ...notes.annotations },
    });
  }
}

const goDuration = (milliseconds: number): string => formatDuration(BigInt(Math.round(milliseconds * 1e6)));

function pathOf({ requestInfo }: RequestScope): ObjectReference | undefined {
  const { isResourceRequest, namespace, name, resource, subresource, apiGroup, apiVersion } = requestInfo;
  return isResourceRequest ? { resource, namespace, name, apiGroup, apiVersion, subresource } : undefined;
}

/** Removes metadata.managedFields from the JSON of an object, a list or a Table. */
function withoutManagedFields(text: string | undefined): string | undefined {
  if (text === undefined || !text.includes('"managedFields"')) return text;
  const value = parseJson(text);
  if (!isRecord(value)) return text;
  strip(value);
  for (const item of list(value['items'])) strip(item);
  for (const row of list(value['rows'])) if (isRecord(row)) strip(row['object']);
  return stringifyJson(value);
}

function strip(object: unknown): void {
  if (isRecord(object) && isRecord(object['metadata'])) delete object['metadata']['managedFields'];
}

const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** The address used for connections within the process. */
const loopback = '::1';

/**
 * The source addresses of a request: the client first, then the proxies, as the headers state them; the last is the connection's address.
 * Source: SourceIPs of k8s.io/apimachinery/pkg/util/net.
 */
function sourceIPs(request: IncomingMessage): string[] {
  const forwarded = request.headers['x-forwarded-for'];
  const ips = (forwarded === undefined ? [] : String(forwarded).split(',')).flatMap(parsed);
  const [real] = parsed(String(request.headers['x-real-ip'] ?? ''));
  if (real !== undefined && !ips.includes(real)) ips.push(real);
  const [remote = loopback] = parsed(request.socket.remoteAddress ?? '');
  if (ips.at(-1) !== remote) ips.push(remote);
  return ips;
}

function parsed(text: string): string[] {
  const ip = text.trim().replace(mapped, '');
  return isIP(ip) === 0 ? [] : [ip];
}
