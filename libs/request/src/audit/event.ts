import type { UserInfo } from '@apichain/authn';
import { formatMicroTime, goQuote } from '@apichain/go-text';
import { stringifyJson, type Status } from '@apichain/meta';

/** How much an event contains. Each level includes what the previous one contains. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** The point in the request lifecycle at which an event is created. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** The levels of audit.k8s.io/v1, from the least to the most detailed. */
export const auditLevels: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

/** The stages of audit.k8s.io/v1. */
export const auditStages: readonly AuditStage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

/** The object of a request in an audit event (ObjectReference of audit.k8s.io/v1). */
export interface ObjectReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** The part of a response's Status that audit events keep at every level. */
export type ResponseStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;

/** Everything that is known about a request when it reaches a stage. Empty texts and lists are left out of the event. */
export interface EventFields {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  /** Undefined = the user is not known. */
  readonly user: UserInfo | undefined;
  readonly impersonatedUser: UserInfo | undefined;
  /** The verb of the permission that allowed the impersonation; '' = unconstrained impersonation. */
  readonly impersonationConstraint: string;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly objectRef: ObjectReference | undefined;
  readonly responseStatus: ResponseStatus | undefined;
  /** JSON texts. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** Milliseconds since the epoch. */
  readonly requestReceivedAt: number;
  readonly stageAt: number;
  readonly annotations: Readonly<Record<string, string>>;
}

const head = '"kind":"Event","apiVersion":"audit.k8s.io/v1",';

/** One audit.k8s.io/v1 Event: https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event */
export class AuditEvent {
  readonly fields: EventFields;
  #members: string | undefined;

  constructor(fields: EventFields) {
    this.fields = fields;
  }

  /** One line, without a line feed. */
  get json(): string {
    return `{${head}${this.#text}`;
  }

  /** As an item of a list: without kind and apiVersion. */
  get item(): string {
    return `{${this.#text}`;
  }

  /** Serialized once, however many backends use it. */
  get #text(): string {
    return (this.#members ??= membersOf(this.fields));
  }

  /** The event without the request and response objects. */
  withoutObjects(annotation: string): AuditEvent {
    const annotations = { ...this.fields.annotations, [annotation]: 'true' };
    return new AuditEvent({ ...this.fields, requestObject: undefined, responseObject: undefined, annotations });
  }

  /** One human-readable line. Source: EventString of k8s.io/apiserver/pkg/audit/format.go. */
  get legacy(): string {
    const { user, impersonatedUser: as, objectRef, responseStatus, sourceIPs } = this.fields;
    const { auditID, stage, verb, userAgent, requestURI } = this.fields;
    const name = user?.name ?? '';
    const parts: readonly (readonly [string, string])[] = [
      ['id', auditID],
      ['stage', stage],
      ['ip', sourceIPs[0] ?? '<unknown>'],
      ['method', verb],
      ['user', name === '' ? '<none>' : name],
      ['groups', name === '' ? '<none>' : quoted(user?.groups ?? [], '<none>')],
      ['as', as?.name ?? '<self>'],
      ['asgroups', quoted(as?.groups ?? [], '<lookup>')],
      ['user-agent', userAgent],
      ['namespace', objectRef?.namespace ?? '<none>'],
      ['uri', requestURI],
    ];
    const received = new Date(this.fields.requestReceivedAt).toISOString().replace(/\.?(?<!0)0*Z$/, 'Z');
    const response = responseStatus === undefined ? '<deferred>' : String(responseStatus.code ?? 0);
    const pairs = parts.map(([key, value]) => `${key}=${goQuote(value)}`);
    return `${received} AUDIT: ${pairs.join(' ')} response="${response}"`;
  }
}

const quoted = (list: readonly string[], none: string): string =>
  list.length === 0 ? none : list.map(goQuote).join(',');

/** The members of an event, from `level` on, with the closing brace. */
function membersOf(fields: EventFields): string {
  const { requestObject, responseObject, impersonationConstraint: constraint, responseStatus } = fields;
  const members: string[] = [];
  const add = (name: string, value: unknown) => members.push(`"${name}":${stringifyJson(value)}`);
  const addText = (name: string, value: string) => value !== '' && add(name, value);
  for (const name of ['level', 'auditID', 'stage', 'requestURI', 'verb'] as const) add(name, fields[name]);
  add('user', fields.user === undefined ? {} : userOf(fields.user));
  if (fields.impersonatedUser !== undefined) add('impersonatedUser', userOf(fields.impersonatedUser));
  if (constraint !== '') add('authenticationMetadata', { impersonationConstraint: constraint });
  if (fields.sourceIPs.length > 0) add('sourceIPs', fields.sourceIPs);
  addText('userAgent', fields.userAgent);
  if (fields.objectRef !== undefined) add('objectRef', withoutEmpty(fields.objectRef));
  if (responseStatus !== undefined) add('responseStatus', { metadata: {}, ...withoutEmpty(responseStatus) });
  if (requestObject !== undefined) members.push(`"requestObject":${requestObject}`);
  if (responseObject !== undefined) members.push(`"responseObject":${responseObject}`);
  add('requestReceivedTimestamp', formatMicroTime(new Date(fields.requestReceivedAt)));
  add('stageTimestamp', formatMicroTime(new Date(fields.stageAt)));
  const keys = Object.keys(fields.annotations).sort();
  if (keys.length > 0) add('annotations', Object.fromEntries(keys.map((key) => [key, fields.annotations[key]])));
  return `${members.join(',')}}`;
}

const userOf = ({ name, uid, groups, extra }: UserInfo) =>
  withoutEmpty({
    username: name,
    uid,
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  });

function withoutEmpty(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== '' && member !== undefined));
}
