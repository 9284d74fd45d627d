import type { RequestContext } from '@apichain/request';
import type { ResourceInfo, ResourceStorage, Result } from '@apichain/apiserver';
import type { SelfSubjectReview, TokenReview, UserInfo as ShownUserInfo } from '@apichain/api/authentication/v1';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '@apichain/api/authorization/v1';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from '@apichain/api/meta/v1';
import type { UserInfo } from '@apichain/authn';
import type { AuthorizationAttributes, Authorizer, NonResourceRule, ResourceRule, RuleList } from '@apichain/authz';
import {
  currentTimestamp,
  field,
  isQualifiedName,
  isValidLabelValue,
  newBadRequest,
  newInvalid,
  pause,
  type FieldError,
  type KubeObject,
  isSet,
} from '@apichain/meta';
import { CreateOnlyStorage, entriesOf, type BuiltinResource } from '@apichain/kinds';
import { reviewedSelector } from './review-selectors.ts';
import {
  goValue,
  collect,
  invalidEach,
  requiredText,
  valuesForbidden,
  valuesRequired,
} from '@apichain/kinds-validation';

/** The result of validating a token: the authenticated user, or the error. */
export interface TokenVerdict {
  readonly user?: UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

export interface AccessReviewOptions {
  /** The authorizer of this server, including the rule for system:masters. */
  readonly authorizer: Authorizer;
  readonly reviewToken?: (token: string, audiences: readonly string[]) => Promise<TokenVerdict>;
}

interface Question {
  readonly attributes: AuthorizationAttributes;
  /** The parts of the selectors that could not be parsed, as messages. */
  readonly problems: readonly string[];
}

/** The authorization attributes of a review's spec for a user. Selectors may be long, so each is parsed once. */
function questionOf(spec: SelfSubjectAccessReviewSpec, user: UserInfo): Question {
  const resource = spec.resourceAttributes ?? {};
  const path = spec.nonResourceAttributes ?? {};
  const isResourceRequest = isSet(spec.resourceAttributes);
  const version = resource.version ?? '';
  const fields = reviewedSelector(resource, 'fieldSelector');
  const labels = reviewedSelector(resource, 'labelSelector');
  const attributes: AuthorizationAttributes = {
    user,
    verb: (isResourceRequest ? resource.verb : path.verb) ?? '',
    isResourceRequest,
    path: isResourceRequest ? '' : (path.path ?? ''),
    apiGroup: resource.group ?? '',
    apiVersion: version === '' ? '*' : version,
    resource: resource.resource ?? '',
    subresource: resource.subresource ?? '',
    namespace: resource.namespace ?? '',
    name: resource.name ?? '',
    fieldSelector: fields.text,
    labelSelector: labels.text,
  };
  return { attributes, problems: [fields.problem, labels.problem].filter((problem) => problem !== undefined) };
}

const shownPath = (spec: SelfSubjectAccessReviewSpec): unknown =>
  goValue('authorization.k8s.io.v1.NonResourceAttributes', spec.nonResourceAttributes);

function questionErrors(spec: SelfSubjectAccessReviewSpec): FieldError[] {
  const hasResource = isSet(spec.resourceAttributes);
  const hasPath = isSet(spec.nonResourceAttributes);
  if (hasResource && hasPath) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [field.invalid('spec.nonResourceAttributes', shownPath(spec), detail)];
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

/** A selector is given either as text or as requirements. */
function selectorErrors(spec: SelfSubjectAccessReviewSpec): FieldError[] {
  const attributes = spec.resourceAttributes ?? {};
  return (['fieldSelector', 'labelSelector'] as const).flatMap((name) => {
    const selector = attributes[name];
    if (!isSet(selector)) return [];
    const path = `spec.resourceAttributes.${name}`;
    const requirements: readonly (FieldSelectorRequirement | LabelSelectorRequirement)[] = selector.requirements ?? [];
    const raw = selector.rawSelector ?? '';
    const errors: FieldError[] = [];
    if (raw !== '' && requirements.length > 0) {
      errors.push(field.invalid(`${path}.rawSelector`, raw, 'may not specified at the same time as requirements'));
    }
    if (raw === '' && requirements.length === 0) {
      const detail = `when ${path} is specified, requirements or rawSelector is required`;
      errors.push(field.required(`${path}.requirements`, detail));
    }
    return [
      ...errors,
      ...field.collectEach(requirements, (each, i) => requirementErrors(each, `${path}.requirements[${i}]`, name)),
    ];
  });
}

/** Unknown operators are accepted, because a later authorizer may support them. */
function requirementErrors(
  requirement: FieldSelectorRequirement | LabelSelectorRequirement,
  path: string,
  selector: 'fieldSelector' | 'labelSelector',
): FieldError[] {
  const key = requirement.key ?? '';
  const operator = requirement.operator ?? '';
  const values = requirement.values ?? [];
  return collect((out) => {
    if (selector === 'fieldSelector') requiredText(out, `${path}.key`, key, 'must be specified');
    if (['In', 'NotIn'].includes(operator) && values.length === 0)
      out.push(field.required(`${path}.values`, valuesRequired));
    if (['Exists', 'DoesNotExist'].includes(operator) && values.length > 0) {
      out.push(field.forbidden(`${path}.values`, valuesForbidden));
    }
    if (selector === 'fieldSelector') return;
    invalidEach(out, `${path}.key`, key, isQualifiedName(key));
    for (const [i, value] of values.entries())
      invalidEach(out, `${path}.values[${i}]`, value, isValidLabelValue(value));
  });
}

/** A review must have no metadata other than the `allowed` members. */
function metadataErrors({ metadata }: KubeObject, allowed: readonly string[], detail: string): FieldError[] {
  const own = Object.entries(metadata).filter(
    ([name, value]) => isSet(value) && value !== '' && !allowed.includes(name),
  );
  return own.length === 0 ? [] : [field.invalid('metadata', goValue('meta.v1.ObjectMeta', metadata), detail)];
}

const outsideNamespace = (review: KubeObject): FieldError[] =>
  metadataErrors(review, ['managedFields'], 'must be empty');

function subjectErrors(spec: SubjectAccessReviewSpec): FieldError[] {
  if ((spec.user ?? '') !== '' || (spec.groups ?? []).length > 0) return [];
  return [field.invalid('spec.user', spec.user ?? '', 'at least one of user or group must be specified')];
}

function userOf(spec: SubjectAccessReviewSpec): UserInfo {
  const extra = entriesOf(spec.extra ?? {}).map(([name, values]): [string, string[]] => [name, values ?? []]);
  return { name: spec.user ?? '', uid: spec.uid ?? '', groups: spec.groups ?? [], extra: Object.fromEntries(extra) };
}

/** The decision of the authorizer. Errors of the authorizer and of selectors that cannot be parsed are joined in evaluationError. */
async function decide(
  authorizer: Authorizer,
  spec: SelfSubjectAccessReviewSpec,
  user: UserInfo,
): Promise<SubjectAccessReviewStatus> {
  const { attributes, problems } = questionOf(spec, user);
  await pause();
  const { decision, reason, evaluationError } = await authorizer.authorize(attributes);
  const errors = [evaluationError, ...problems].filter((error) => error !== undefined && error !== '');
  return {
    allowed: decision === 'Allow',
    ...(decision === 'Deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(errors.length === 0 ? {} : { evaluationError: errors.join('; ') }),
  };
}

const refuse = (errors: readonly FieldError[]): void => {
  if (errors.length === 0) return;
  // kube-apiserver takes the kind from an object in which it is empty at this point.
  throw newInvalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
};

async function decideSubject<Review extends SubjectAccessReview | LocalSubjectAccessReview>(
  authorizer: Authorizer,
  review: Review,
): Promise<Review> {
  const spec = review.spec ?? {};
  review.status = await decide(authorizer, spec, userOf(spec));
  return review;
}

/** Runs validating admission on a review that has passed validation; throws when admission rejects it. */
type Admit = () => Promise<void>;

async function reviewSubject(authorizer: Authorizer, review: SubjectAccessReview, admit: Admit): Promise<KubeObject> {
  const spec = review.spec ?? {};
  refuse([...questionErrors(spec), ...subjectErrors(spec), ...selectorErrors(spec), ...outsideNamespace(review)]);
  await pause();
  await admit();
  return decideSubject(authorizer, review);
}

async function reviewSelf(
  authorizer: Authorizer,
  ctx: RequestContext,
  review: SelfSubjectAccessReview,
  admit: Admit,
): Promise<KubeObject> {
  const spec = review.spec ?? {};
  refuse([...questionErrors(spec), ...selectorErrors(spec), ...outsideNamespace(review)]);
  await pause();
  await admit();
  review.status = await decide(authorizer, spec, ctx.user);
  return review;
}

async function reviewInNamespace(
  authorizer: Authorizer,
  ctx: RequestContext,
  review: LocalSubjectAccessReview,
  admit: Admit,
): Promise<KubeObject> {
  const spec = review.spec ?? {};
  const { namespace } = ctx.requestInfo;
  const errors = [...questionErrors(spec), ...subjectErrors(spec), ...selectorErrors(spec)];
  errors.push(...metadataErrors(review, ['managedFields', 'namespace'], 'must be empty except for namespace'));
  const asked = spec.resourceAttributes?.namespace ?? '';
  if (isSet(spec.resourceAttributes) && asked !== namespace) {
    errors.push(field.invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  }
  if (isSet(spec.nonResourceAttributes)) {
    const detail = 'disallowed on this kind of request';
    errors.push(field.invalid('spec.nonResourceAttributes', shownPath(spec), detail));
  }
  refuse(errors);
  await pause();
  await admit();
  return decideSubject(authorizer, review);
}

/** Empty lists are omitted, as in Go. */
const withoutEmpty = (rule: ResourceRule | NonResourceRule): Record<string, string[]> => {
  const lists: Record<string, readonly string[]> = { ...rule };
  const given = Object.entries(lists).filter(([, values]) => values.length > 0);
  return Object.fromEntries(given.map(([name, values]) => [name, [...values]]));
};

async function listRules(
  authorizer: Authorizer,
  ctx: RequestContext,
  review: SelfSubjectRulesReview,
  admit: Admit,
): Promise<KubeObject> {
  const namespace = review.spec?.namespace ?? '';
  if (namespace === '') throw newBadRequest('no namespace on request');
  await admit();
  const unknown: RuleList = {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    evaluationError: 'the authorizer does not support user rule resolution',
  };
  const rules = (await authorizer.rulesFor?.(ctx.user, namespace)) ?? unknown;
  const { evaluationError, incomplete, resourceRules, nonResourceRules } = rules;
  return {
    apiVersion: review.apiVersion,
    kind: review.kind,
    metadata: {},
    spec: {},
    status: {
      resourceRules: resourceRules.map(withoutEmpty),
      nonResourceRules: nonResourceRules.map(withoutEmpty),
      incomplete,
      ...(evaluationError === undefined ? {} : { evaluationError }),
    },
  };
}

const extraOf = ({ extra }: UserInfo): Record<string, string[]> =>
  Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]]));

/** A user in the form of authentication.k8s.io. */
const userInfo = (user: UserInfo): ShownUserInfo => ({
  ...(user.name === '' ? {} : { username: user.name }),
  ...(user.uid === '' ? {} : { uid: user.uid }),
  ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
  ...(Object.keys(user.extra).length === 0 ? {} : { extra: extraOf(user) }),
});

async function whoAmI(ctx: RequestContext, review: SelfSubjectReview, admit: Admit): Promise<KubeObject> {
  await admit();
  return {
    apiVersion: review.apiVersion,
    kind: review.kind,
    metadata: { creationTimestamp: currentTimestamp() },
    status: { userInfo: userInfo(ctx.user) },
  };
}

async function reviewToken(options: AccessReviewOptions, review: TokenReview, admit: Admit): Promise<KubeObject> {
  const spec = review.spec ?? {};
  const token = spec.token ?? '';
  if (token === '') throw newBadRequest('token is required for TokenReview in authentication');
  await admit();
  const verdict: TokenVerdict = (await options.reviewToken?.(token, spec.audiences ?? [])) ?? {};
  const { user, audiences = [], error } = verdict;
  // Where the verdict has no value, the client's value in the status is kept.
  const written = review.status ?? {};
  const known = user === undefined ? (written.user ?? {}) : userInfo(user);
  const heard = user === undefined ? (written.audiences ?? []) : audiences;
  const problem = error ?? written.error ?? '';
  review.status = {
    ...(user === undefined ? {} : { authenticated: true }),
    user: known,
    ...(heard.length === 0 ? {} : { audiences: [...heard] }),
    ...(problem === '' ? {} : { error: problem }),
  };
  return review;
}

type ReviewHandler<Review extends KubeObject> = (ctx: RequestContext, review: Review, admit: Admit) => Promise<Result>;

/** The kinds of the reviews, by resource name. */
interface Reviews {
  subjectaccessreviews: SubjectAccessReview;
  selfsubjectaccessreviews: SelfSubjectAccessReview;
  localsubjectaccessreviews: LocalSubjectAccessReview;
  selfsubjectrulesreviews: SelfSubjectRulesReview;
  selfsubjectreviews: SelfSubjectReview;
  tokenreviews: TokenReview;
}
type ReviewHandlers = { readonly [Name in keyof Reviews]: ReviewHandler<Reviews[Name]> };

/** The handlers of the reviews, by resource name. */
function reviewHandlers(options: AccessReviewOptions): ReviewHandlers {
  const { authorizer } = options;
  return {
    subjectaccessreviews: (_ctx, review, admit) => reviewSubject(authorizer, review, admit),
    selfsubjectaccessreviews: (ctx, review, admit) => reviewSelf(authorizer, ctx, review, admit),
    localsubjectaccessreviews: (ctx, review, admit) => reviewInNamespace(authorizer, ctx, review, admit),
    selfsubjectrulesreviews: (ctx, review, admit) => listRules(authorizer, ctx, review, admit),
    selfsubjectreviews: whoAmI,
    tokenreviews: (_ctx, review, admit) => reviewToken(options, review, admit),
  };
}

/** The results of these reviews are new objects and have no managedFields. */
const untracked = new Set(['selfsubjectrulesreviews', 'selfsubjectreviews']);

/**
 * The storage of a review resource. A review asks about authentication or authorization,
 * and gets the result in its status. Undefined for other resources.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export function accessReviewStorage(
  resource: BuiltinResource,
  options: AccessReviewOptions,
): ResourceStorage | undefined {
  // The decoder accepts only the kind of the resource, so each handler receives its own kind.
  const byResource = reviewHandlers(options) as Readonly<Record<string, ReviewHandler<KubeObject> | undefined>>;
  const handler = byResource[resource.info.plural];
  if (handler === undefined) return undefined;
  const info: ResourceInfo = resource.info;
  return new CreateOnlyStorage({
    path: info.plural,
    info,
    trackFields: !untracked.has(info.plural),
    create: (ctx, _name, review, { validateCreate }) => handler(ctx, review, async () => validateCreate?.(review)),
  });
}
