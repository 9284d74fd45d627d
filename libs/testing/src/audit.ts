import {
  Audit,
  AuditMetrics,
  AuditPolicyEvaluator,
  checkPolicy,
  type AuditBackend,
  type AuditDecision,
  type AuditEvaluator,
  type AuditPolicy,
} from '@apichain/audit';
import {
  type AuditLevel,
  type AuditStage,
  type ObjectReference,
  type RequestInfo,
  type ResponseStatus,
} from '@apichain/request';
import { systemApiserver, type UserInfo } from '@apichain/authn';
import { parseJson } from '@apichain/meta';
import { matches, type RequestMatch } from './request-match.ts';

export type { AuditLevel };

/** Which requests are recorded, and at which level. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly match?: RequestMatch;
}

/** A policy as in the file for --audit-policy-file (https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy). */
export interface AuditPolicyObject extends AuditPolicy {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/**
 * `true` records everything at `RequestResponse`, a level records everything at that level. With rules, the first matching rule sets the
 * level; requests that match no rule are not recorded. In these cases a request has no event of the stage RequestReceived. A policy object
 * selects the stages itself.
 */
export type AuditOptions = boolean | AuditLevel | readonly AuditRule[] | AuditPolicyObject;

/** An audit.k8s.io/v1 Event: https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: ObjectReference;
  readonly responseStatus?: ResponseStatus;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The user of an audit event. */
export interface AuditUser {
  /** Absent when authentication failed. */
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const maxEvents = 10_000;

/** Keeps the last 10,000 audit events of client requests. Requests of the chain itself are not recorded. */
export class AuditRecorder implements AuditBackend {
  readonly name = 'recorder';
  readonly evaluator: AuditEvaluator;
  #events: AuditEvent[] = [];

  /** Throws Error for an invalid policy. */
  constructor(options: AuditOptions) {
    const asked = evaluatorOf(options);
    this.evaluator = {
      evaluate: (user, request) => (user?.name === systemApiserver ? nothing : asked.evaluate(user, request)),
    };
  }

  get audit(): Audit {
    return new Audit(this.evaluator, this, new AuditMetrics());
  }

  get events(): readonly AuditEvent[] {
    return this.#events;
  }

  clear(): void {
    this.#events = [];
  }

  process(events: Parameters<AuditBackend['process']>[0]): boolean {
    for (const { json } of events) this.#events.push(parseJson(json) as AuditEvent);
    if (this.#events.length > maxEvents) this.#events.splice(0, this.#events.length - maxEvents);
    return true;
  }

  async close(): Promise<void> {
    // Recorded events stay readable after close.
  }
}

const nothing = decision('None');

function decision(level: AuditLevel): AuditDecision {
  return { level, omitStages: new Set<AuditStage>(['RequestReceived']), omitManagedFields: false };
}

function evaluatorOf(options: AuditOptions): AuditEvaluator {
  if (typeof options === 'boolean') return constant(options ? 'RequestResponse' : 'None');
  if (typeof options === 'string') return constant(options);
  if ('rules' in options) return new AuditPolicyEvaluator(checkPolicy(options));
  const rules = options.map(({ level, match = {} }) => ({ match, decision: decision(level) }));
  return {
    evaluate: (user, request) => rules.find(({ match }) => matches(factsOf(user, request), match))?.decision ?? nothing,
  };
}

function constant(level: AuditLevel): AuditEvaluator {
  const made = decision(level);
  return { evaluate: () => made };
}

function factsOf(user: UserInfo | undefined, request: RequestInfo) {
  const { verb, apiGroup: group, apiVersion: version, resource, subresource, namespace, name } = request;
  return { verb, group, version, resource, subresource, namespace, name, user: user?.name ?? '' };
}
