import type { RequestContext, ResourceInfo, ResourceStorage, Result } from '@apichain/apiserver';
import type { UserInfo } from '@apichain/authn';
import type { AuthorizationAttributes, Authorizer } from '@apichain/authz';
import { currentTime, field, newBadRequest, newInvalid, type FieldError, type KubeObject } from '@apichain/meta';
import { CreateOnlyStorage } from './create-only.ts';
import { formatTime, isSet, type Plain, record, records, text, texts } from './fields.ts';
import type { BuiltinResource } from './resources.ts';

/** What a token is worth: who it stands for, or why it does not. */
export interface TokenVerdict {
  readonly user?: UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

/** The rules a subject has in a namespace, as far as an authorizer can list them. */
export interface RuleList {
  readonly resourceRules: readonly Plain[];
  readonly nonResourceRules: readonly Plain[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

export interface AccessReviewOptions {
  /** The one that guards this server, system:masters included. */
  readonly authorizer: Authorizer;
  readonly reviewToken?: (token: string, audiences: readonly string[]) => Promise<TokenVerdict>;
  readonly rulesFor?: (user: UserInfo, namespace: string) => Promise<RuleList>;
}

function selectorText(attributes: Plain, name: 'fieldSelector' | 'labelSelector'): string {
  const selector = record(attributes[name]);
  if (text(selector.rawSelector) !== '') return text(selector.rawSelector);
  const operators: Record<string, string> = { In: 'in', NotIn: 'notin', Exists: '', DoesNotExist: '!' };
  return records(selector.requirements)
    .map((requirement) => {
      const key = text(requirement.key);
      const values = texts(requirement.values).join(',');
      const operator = operators[text(requirement.operator)] ?? '';
      if (operator === '') return key;
      if (operator === '!') return `!${key}`;
      return name === 'fieldSelector'
        ? `${key}${operator === 'in' ? '=' : '!='}${values}`
        : `${key} ${operator} (${values})`;
    })
    .join(',');
}

/** The question of a review's spec, asked about a user. */
export function attributesOf(spec: Plain, user: UserInfo): AuthorizationAttributes {
  const resource = record(spec.resourceAttributes);
  const path = record(spec.nonResourceAttributes);
  const isResourceRequest = isSet(spec.resourceAttributes);
  const version = text(resource.version);
  return {
    user,
    verb: text(isResourceRequest ? resource.verb : path.verb),
    isResourceRequest,
    path: isResourceRequest ? '' : text(path.path),
    apiGroup: text(resource.group),
    apiVersion: version === '' ? '*' : version,
    resource: text(resource.resource),
    subresource: text(resource.subresource),
    namespace: text(resource.namespace),
    name: text(resource.name),
    fieldSelector: selectorText(resource, 'fieldSelector'),
    labelSelector: selectorText(resource, 'labelSelector'),
  };
}

function questionErrors(spec: Plain): FieldError[] {
  const hasResource = isSet(spec.resourceAttributes);
  const hasPath = isSet(spec.nonResourceAttributes);
  if (hasResource && hasPath) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [field.invalid('spec.nonResourceAttributes', spec.nonResourceAttributes, detail)];
  }
  if (hasResource || hasPath) return [];
  return [
    field.invalid(
      'spec.resourceAttributes',
      spec.resourceAttributes ?? null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ];
}

function subjectErrors(spec: Plain): FieldError[] {
  if (text(spec.user) !== '' || texts(spec.groups).length > 0) return [];
  return [field.invalid('spec.user', text(spec.user), 'at least one of user or group must be specified')];
}

function userOf(spec: Plain): UserInfo {
  const extra = Object.entries(record(spec.extra)).map(([name, values]) => [name, texts(values)] as const);
  return { name: text(spec.user), uid: text(spec.uid), groups: texts(spec.groups), extra: Object.fromEntries(extra) };
}

async function decide(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<Plain> {
  const { decision, reason, evaluationError } = await authorizer.authorize(attributes);
  return {
    allowed: decision === 'Allow',
    ...(decision === 'Deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(evaluationError === undefined || evaluationError === '' ? {} : { evaluationError }),
  };
}

const refuse = (object: KubeObject, errors: readonly FieldError[]): void => {
  if (errors.length === 0) return;
  throw newInvalid({ group: 'authorization.k8s.io', kind: object.kind }, '', errors);
};

async function reviewSubject(authorizer: Authorizer, review: KubeObject): Promise<KubeObject> {
  const spec = record(review.spec);
  refuse(review, [...questionErrors(spec), ...subjectErrors(spec)]);
  review.status = await decide(authorizer, attributesOf(spec, userOf(spec)));
  return review;
}

async function reviewSelf(authorizer: Authorizer, ctx: RequestContext, review: KubeObject): Promise<KubeObject> {
  const spec = record(review.spec);
  refuse(review, questionErrors(spec));
  review.status = await decide(authorizer, attributesOf(spec, ctx.user));
  return review;
}

async function reviewInNamespace(authorizer: Authorizer, ctx: RequestContext, review: KubeObject): Promise<KubeObject> {
  const spec = record(review.spec);
  const { namespace } = ctx.requestInfo;
  refuse(review, [...questionErrors(spec), ...subjectErrors(spec)]);
  if (isSet(spec.nonResourceAttributes)) {
    const detail = 'disallowed on this kind of request';
    refuse(review, [field.invalid('spec.nonResourceAttributes', spec.nonResourceAttributes, detail)]);
  }
  const asked = text(record(spec.resourceAttributes).namespace);
  if (asked !== namespace) {
    const values = `spec.resourceAttributes.namespace must match namespace: ${JSON.stringify(namespace)}`;
    throw newBadRequest(values);
  }
  return reviewSubject(authorizer, review);
}

async function listRules(options: AccessReviewOptions, ctx: RequestContext, review: KubeObject): Promise<KubeObject> {
  const namespace = text(record(review.spec).namespace);
  if (namespace === '') throw newBadRequest('no namespace on request');
  const unknown: RuleList = {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    evaluationError: 'the authorizer does not support user rule resolution',
  };
  const { evaluationError, ...rules } = (await options.rulesFor?.(ctx.user, namespace)) ?? unknown;
  return {
    apiVersion: review.apiVersion,
    kind: review.kind,
    metadata: {},
    spec: {},
    status: { ...rules, ...(evaluationError === undefined ? {} : { evaluationError }) },
  };
}

/** A user as authentication.k8s.io shows it. */
const userInfo = (user: UserInfo): Plain => ({
  ...(user.name === '' ? {} : { username: user.name }),
  ...(user.uid === '' ? {} : { uid: user.uid }),
  ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
  ...(Object.keys(user.extra).length === 0 ? {} : { extra: structuredClone(user.extra) }),
});

const whoAmI = (ctx: RequestContext, review: KubeObject): KubeObject => ({
  apiVersion: review.apiVersion,
  kind: review.kind,
  metadata: { creationTimestamp: formatTime(new Date(currentTime())) },
  status: { userInfo: userInfo(ctx.user) },
});

async function reviewToken(options: AccessReviewOptions, review: KubeObject): Promise<KubeObject> {
  const spec = record(review.spec);
  const token = text(spec.token);
  if (token === '') throw newBadRequest('token is required for TokenReview in authentication');
  const verdict: TokenVerdict = (await options.reviewToken?.(token, texts(spec.audiences))) ?? {};
  const { user, audiences = [], error } = verdict;
  review.status = {
    ...(user === undefined ? {} : { authenticated: true }),
    user: user === undefined ? {} : userInfo(user),
    ...(audiences.length === 0 ? {} : { audiences: [...audiences] }),
    ...(error === undefined ? {} : { error }),
  };
  return review;
}

type Answer = (ctx: RequestContext, review: KubeObject) => Promise<Result> | Result;

/** The answers by resource name. */
function answers(options: AccessReviewOptions): Readonly<Record<string, Answer>> {
  const { authorizer } = options;
  return {
    subjectaccessreviews: (_ctx, review) => reviewSubject(authorizer, review),
    selfsubjectaccessreviews: (ctx, review) => reviewSelf(authorizer, ctx, review),
    localsubjectaccessreviews: (ctx, review) => reviewInNamespace(authorizer, ctx, review),
    selfsubjectrulesreviews: (ctx, review) => listRules(options, ctx, review),
    selfsubjectreviews: whoAmI,
    tokenreviews: (_ctx, review) => reviewToken(options, review),
  };
}

/** Their answers are made anew and carry no managedFields. */
const untracked = new Set(['selfsubjectrulesreviews', 'selfsubjectreviews']);

/**
 * The review resource of that name: a question about authentication or authorization, answered in its status; undefined for other resources.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export function accessReviewStorage(
  resource: BuiltinResource,
  options: AccessReviewOptions,
): ResourceStorage | undefined {
  const answer = answers(options)[resource.info.plural];
  if (answer === undefined) return undefined;
  const info: ResourceInfo = resource.info;
  return new CreateOnlyStorage({
    path: info.plural,
    info,
    trackFields: !untracked.has(info.plural),
    create: async (ctx, _name, review) => answer(ctx, review),
  });
}
