import type { UserInfo } from '@apichain/authn';
import { isQualifiedName, stringifyJson, type ObjectMeta, type Status } from '@apichain/meta';
import { type ObjectReference, type ResponseStatus, auditLevels, type AuditLevel } from './event.ts';
import type { LatencyPart, TrackTime } from '../times/request-times.ts';

/** Parts that run concurrently: the longest time counts, not the sum. */
const concurrentParts: ReadonlySet<LatencyPart> = new Set(['authorization', 'validating-webhook']);

/** Annotations with patches of an object are as confidential as the object. */
const confidential = 'patch.webhook.admission.k8s.io/';

const atLeast = (level: AuditLevel, wanted: AuditLevel): boolean =>
  auditLevels.indexOf(level) >= auditLevels.indexOf(wanted);

/**
 * What handlers and filters record about a request, for its audit events. A request that is not audited has none (`ctx.audit` is undefined), so
 * that nothing is recorded in vain. After AuditContext of k8s.io/apiserver/pkg/audit.
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
  /** The body of the request, where it is forwarded to a server that may not report what it was. */
  readonly sent: Buffer[] = [];
  /** The response is an object, whether or not it was recorded. */
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

  /** Raises the level, for another consumer that needs more detail. */
  raise(level: AuditLevel): void {
    if (atLeast(level, this.#level)) this.#level = level;
  }

  get wantsRequest(): boolean {
    return atLeast(this.#level, 'Request');
  }

  get wantsResponse(): boolean {
    return atLeast(this.#level, 'RequestResponse');
  }

  /** Sets an annotation. The first value of a key stays. Keys that are not qualified names are ignored. */
  readonly annotate = (key: string, value: string): void => {
    if (Object.hasOwn(this.annotations, key) || isQualifiedName(key).length > 0) return;
    if (key.startsWith(confidential) && !this.wantsRequest) return;
    this.annotations[key] = value;
  };

  /** Adds the milliseconds that a part of the work took. Kubernetes does not report admission as a whole. */
  readonly track: TrackTime = (part, milliseconds) => {
    if (part === 'mutating-admission' || part === 'validating-admission') return;
    const before = this.latencies.get(part) ?? 0;
    this.latencies.set(part, concurrentParts.has(part) ? Math.max(before, milliseconds) : before + milliseconds);
  };

  /** Records the decoded object of a request. Its metadata supplies what the path does not contain. `json` serializes the object. */
  logRequestObject(metadata: ObjectMeta, json: () => string): void {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
    this.#target = { namespace, name, uid, resourceVersion };
    if (this.wantsRequest) this.requestObject = json();
  }

  /** Records a body that is not an object of the resource: a patch, DeleteOptions. */
  logRequestDocument(document: unknown): void {
    if (this.wantsRequest) this.requestObject = stringifyJson(document);
  }

  /** Records the Status of a response. */
  logResponseStatus({ status, message, reason, details, code }: Partial<Status>): void {
    const entries = Object.entries({ status, message, reason, details, code });
    this.responseStatus = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }

  /** Records the object of a response. `json` serializes it. */
  logResponseObject(json: () => string): void {
    this.answersObject = true;
    if (this.wantsResponse) this.responseObject = json();
  }

  /** The reference to the object. The path takes precedence over the body. */
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

  /** Reports an unexpected failure of a handler. */
  panicked(error: unknown): void {
    for (const listener of this.#panicListeners) listener(error);
  }

  onPanic(listener: (error: unknown) => void): void {
    this.#panicListeners.push(listener);
  }

  /** The connection now speaks another protocol, so there is no response to observe. */
  upgraded(): void {
    for (const listener of this.#upgradeListeners) listener();
  }

  onUpgrade(listener: () => void): void {
    this.#upgradeListeners.push(listener);
  }
}
