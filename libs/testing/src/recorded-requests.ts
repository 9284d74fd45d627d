import { type AuditEvaluator } from '@apichain/audit';
import { watchResponse } from '@apichain/request';
import { type Filter, type RequestScope } from '@apichain/request';
import type { AuditLevel } from '@apichain/request';
import { documentOf, recordBodies, type ExchangeBodies } from './exchange-recorder.ts';
import { clientScope, factsOf, type RequestFacts } from './request-match.ts';

/** One client request, as the API server interpreted it. */
export interface RecordedRequest extends RequestFacts {
  readonly method: string;
  /** The path and query as sent. */
  readonly url: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
  readonly contentType: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The status code of the response. Undefined while the request is being served, 0 when it ended without a response. */
  readonly status: number | undefined;
  /** The value of the Audit-Id header of the response. */
  readonly auditID: string;
  /** The level that `startChain({ audit })` sets for the request. */
  readonly auditLevel: AuditLevel;
  /** The documents of the request and the response. Present if the audit level includes them and they are JSON or YAML. */
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
}

const maxRecorded = 10_000;
/** Lower than without bodies, because bodies take more memory. */
const maxAudited = 2_000;

class Recorded implements RecordedRequest {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly method: string;
  readonly url: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
  readonly contentType: string;
  readonly receivedAt: number;
  readonly auditID: string;
  readonly auditLevel: AuditLevel;
  status: number | undefined = undefined;
  readonly #bodies: ExchangeBodies | undefined;
  #responseType = '';

  constructor(scope: RequestScope, facts: RequestFacts, level: AuditLevel, bodies: ExchangeBodies | undefined) {
    const { request, user, userAgent, receivedAt, auditId } = scope;
    ({
      verb: this.verb,
      group: this.group,
      version: this.version,
      resource: this.resource,
      subresource: this.subresource,
      namespace: this.namespace,
      name: this.name,
      user: this.user,
    } = facts);
    this.method = request.method ?? '';
    this.url = request.url ?? '';
    this.groups = user.groups;
    this.userAgent = userAgent;
    this.contentType = request.headers['content-type'] ?? '';
    this.receivedAt = receivedAt;
    this.auditID = auditId;
    this.auditLevel = level;
    this.#bodies = bodies;
  }

  finish(status: number, contentType: string): void {
    this.status = status;
    this.#responseType = contentType;
  }

  /** Called when the request has ended: the client may have disconnected early, or the connection may have been upgraded. */
  finishAnyhow(status: number): void {
    this.status ??= status;
  }

  get requestObject(): unknown {
    return documentOf(this.#bodies?.request, this.contentType);
  }

  get responseObject(): unknown {
    return documentOf(this.#bodies?.response, this.#responseType);
  }
}

/** Keeps the last 10,000 authenticated requests (2,000 with their bodies), in order of arrival. */
export class RecordedRequests {
  readonly list: RecordedRequest[] = [];
  readonly #evaluator: AuditEvaluator | undefined;

  /** Without an evaluator, no bodies are recorded. */
  constructor(evaluator: AuditEvaluator | undefined) {
    this.#evaluator = evaluator;
  }

  readonly filter: Filter = (request, response, next) => {
    const scope = clientScope(request);
    if (scope !== undefined) {
      const facts = factsOf(scope);
      const level = this.#evaluator?.evaluate(scope.user, scope.requestInfo).level ?? 'None';
      const bodies =
        level === 'Request' || level === 'RequestResponse'
          ? recordBodies(request, response, {
              request: true,
              response: level === 'RequestResponse' && facts.verb !== 'watch',
            })
          : undefined;
      const recorded = new Recorded(scope, facts, level, bodies);
      if (this.list.length >= (this.#evaluator === undefined ? maxRecorded : maxAudited)) this.list.shift();
      this.list.push(recorded);
      // The request is recorded before the response is sent. A client that has the response therefore finds the record.
      watchResponse(response, {
        head: () => undefined,
        end: () => {
          recorded.finish(response.statusCode, String(response.getHeader('content-type') ?? ''));
          return undefined;
        },
      });
      scope.onFinish(() => recorded.finishAnyhow(response.headersSent ? response.statusCode : 0));
    }
    next();
  };
}
