import type { UserInfo } from '@apichain/authn';
import { isQualifiedName, stringifyJson, type ObjectMeta, type Status } from '@apichain/meta';
import type { ObjectReference, ResponseStatus } from './event.ts';
import { auditLevels, type AuditLevel } from './audit-level.ts';

/** Which part of the work on a request took its time, as in the annotations `apiserver.latency.k8s.io/...`. */
export type LatencyPart =
  | 'authentication'
  | 'authorization'
  | 'impersonation'
  | 'apf-queue-wait'
  | 'etcd'
  | 'mutating-webhook'
  | 'validating-webhook'
  | 'transform-response-object'
  | 'serialize-response-object'
  | 'response-write';

/** Parts that are done at the same time: the longest counts, not the sum. */
const concurrentParts: ReadonlySet<LatencyPart> = new Set(['authorization', 'validating-webhook']);

/** What says how an object was changed is as confidential as the object. */
const confidential = 'patch.webhook.admission.k8s.io/';

const atLeast = (level: AuditLevel, wanted: AuditLevel): boolean =>
  auditLevels.indexOf(level) >= auditLevels.indexOf(wanted);

/**
 * What those who work on a request note about it, for the events that tell of it. A request that is not audited has none (`ctx.audit` is
 * undefined), so that nothing is made for nothing. After AuditContext of k8s.io/apiserver/pkg/audit.
 */
export class RequestAudit {
  readonly annotations: Record<string, string> = {};
  readonly latencies = new Map<LatencyPart, number>();
  impersonatedUser: UserInfo | undefined;
  impersonationConstraint = '';
  responseStatus: ResponseStatus | undefined;
  /** JSON texts. */
  requestObject: string | undefined;
  responseObject: string | undefined;
  /** The body of the request, where it is handed on to a server that may not say what it was. */
  readonly sent: Buffer[] = [];
  /** An object was answered, whether or not it was kept. */
  answersObject = false;
  /** The path of the request and what its body adds. */
  #target: ObjectReference = {};
  #level: AuditLevel;
  readonly #panicListeners: ((error: unknown) => void)[] = [];
  readonly #upgradeListeners: (() => void)[] = [];

  /** `level` is not None. */
  constructor(level: AuditLevel) {
    this.#level = level;
  }

  get level(): AuditLevel {
    return this.#level;
  }

  /** For somebody else who wants more. */
  raise(level: AuditLevel): void {
    if (atLeast(level, this.#level)) this.#level = level;
  }

  get wantsRequest(): boolean {
    return atLeast(this.#level, 'Request');
  }

  get wantsResponse(): boolean {
    return atLeast(this.#level, 'RequestResponse');
  }

  /** The first value of a key stays. Keys that are no qualified names are not taken. */
  readonly annotate = (key: string, value: string): void => {
    if (Object.hasOwn(this.annotations, key) || isQualifiedName(key).length > 0) return;
    if (key.startsWith(confidential) && !this.wantsRequest) return;
    this.annotations[key] = value;
  };

  /** Adds the milliseconds that a part of the work has taken. */
  readonly track = (part: LatencyPart, milliseconds: number): void => {
    const before = this.latencies.get(part) ?? 0;
    this.latencies.set(part, concurrentParts.has(part) ? Math.max(before, milliseconds) : before + milliseconds);
  };

  /** The object of a request, as it was decoded: what the path does not say is known from its metadata. `json` makes its text. */
  logRequestObject(metadata: ObjectMeta, json: () => string): void {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
    this.#target = { namespace, name, uid, resourceVersion };
    if (this.wantsRequest) this.requestObject = json();
  }

  /** A body that is no object of the resource: a patch, DeleteOptions. */
  logRequestDocument(document: unknown): void {
    if (this.wantsRequest) this.requestObject = stringifyJson(document);
  }

  /** Of an answer that is a Status. */
  logResponseStatus({ status, message, reason, details, code }: Partial<Status>): void {
    const entries = Object.entries({ status, message, reason, details, code });
    this.responseStatus = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }

  /** `json` makes the text of the object that is answered. */
  logResponseObject(json: () => string): void {
    this.answersObject = true;
    if (this.wantsResponse) this.responseObject = json();
  }

  /** The reference to the object: of the path first, then of the body. */
  objectRef(path: ObjectReference | undefined): ObjectReference | undefined {
    if (path === undefined) return undefined;
    const known = { ...path };
    for (const [name, value] of Object.entries(this.#target))
      if ((known[name as keyof ObjectReference] ?? '') === '') Object.assign(known, { [name]: value as string });
    return known;
  }

  get target(): ObjectReference {
    return this.#target;
  }

  set target(target: ObjectReference) {
    this.#target = target;
  }

  /** A handler failed as it should not. */
  panicked(error: unknown): void {
    for (const listener of this.#panicListeners) listener(error);
  }

  onPanic(listener: (error: unknown) => void): void {
    this.#panicListeners.push(listener);
  }

  /** The connection now speaks another protocol: there is no response to be seen. */
  upgraded(): void {
    for (const listener of this.#upgradeListeners) listener();
  }

  onUpgrade(listener: () => void): void {
    this.#upgradeListeners.push(listener);
  }
}
