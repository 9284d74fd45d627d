import type { RequestContext } from '@apichain/request';
import type { Strategy } from '@apichain/apiserver';
import { systemPrivilegedGroup, type UserInfo } from '@apichain/authn';
import { resourceAttributes, type Authorizer } from '@apichain/authz';
import { field, parseGroupVersion, type FieldError, type KubeObject, isSet, semanticEqual } from '@apichain/meta';
import { builtinMapper } from '@apichain/kinds';
import { storedObject } from '../kind-store.ts';
import type { StrategyHook } from '../strategies/server-hooks.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@apichain/api/admissionregistration/v1';

type Hooks = Pick<Strategy, 'validate' | 'validateUpdate'>;

/** Checks that the author of a policy or binding may read its parameters. Returns the problem as a message, or undefined. */
type Problem<T> = (ctx: RequestContext, object: T) => Promise<string | undefined>;

/** The resources of policies. */
export type Policies = 'validatingadmissionpolicies' | 'mutatingadmissionpolicies';
type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;
type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

/** Reads a stored policy; undefined when there is no policy with that name. */
type StoredPolicy = (plural: Policies, name: string) => Promise<Policy | undefined>;

interface Access<T extends Policy | Binding> {
  readonly path: 'spec.paramKind' | 'spec.paramRef';
  readonly problem: Problem<T>;
  /** Whether the object refers to any parameters. */
  readonly asks: (object: T) => boolean;
  /** Whether an update leaves the references to parameters unchanged. */
  readonly unchanged: (object: T, old: T) => boolean;
}

interface ParamAccessOptions {
  readonly authorizer: Authorizer;
  readonly policy: StoredPolicy;
}

/** A user as Go prints the struct. */
function userText({ name, uid, groups, extra }: UserInfo): string {
  const extras = Object.entries(extra)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${extras.join(' ')}]}`;
}

interface Target {
  apiGroup: string;
  apiVersion: string;
  resource: string;
  /** Which part of paramKind could not be read or found. */
  unknown?: 'parse' | 'resolve';
}

const anything: Target = { apiGroup: '*', apiVersion: '*', resource: '*' };

/** The resource of a paramKind; `*` where it is unknown. */
function targetOf(paramKind: ParamKind): Target {
  const apiVersion = paramKind.apiVersion ?? '';
  if (apiVersion.split('/').length > 2) return { ...anything, unknown: 'parse' };
  const { group: apiGroup, version } = parseGroupVersion(apiVersion);
  const found = builtinMapper.getByKind({ group: apiGroup, version, kind: paramKind.kind ?? '' });
  const resource = found?.resource ?? '*';
  return { apiGroup, apiVersion: version, resource, ...(found === undefined ? { unknown: 'resolve' as const } : {}) };
}

async function mayRead(
  authorizer: Authorizer,
  ctx: RequestContext,
  verb: string,
  { apiGroup, apiVersion, resource }: Target,
  object: { readonly name: string; readonly namespace: string },
): Promise<boolean> {
  const asked = { apiGroup, apiVersion, resource, ...object };
  const { decision } = await authorizer.authorize(resourceAttributes({ user: ctx.user, verb, ...asked }));
  return decision === 'Allow';
}

/** The messages of a policy can reveal its parameters, so its author must be able to read all of them. */
const policyProblem =
  ({ authorizer }: ParamAccessOptions): Problem<Policy> =>
  async (ctx, policy) => {
    const paramKind = policy.spec?.paramKind;
    if (!isSet(paramKind)) return undefined;
    const everywhere = { name: '*', namespace: '*' };
    if (await mayRead(authorizer, ctx, 'get', targetOf(paramKind), everywhere)) return undefined;
    const what = `kind=${paramKind.kind ?? ''}, apiVersion=${paramKind.apiVersion ?? ''}`;
    return `user ${userText(ctx.user)} must have "get" permission on all objects of the referenced paramKind (${what})`;
  };

/** The same for the parameters that a binding names or selects; their kind is that of the policy. */
const bindingProblem =
  (policies: Policies, { authorizer, policy }: ParamAccessOptions): Problem<Binding> =>
  async (ctx, binding) => {
    const reference = binding.spec?.paramRef;
    if (!isSet(reference)) return undefined;
    const policyName = binding.spec?.policyName ?? '';
    const found = await policy(policies, policyName);
    const paramKind = found?.spec?.paramKind;
    const target = isSet(paramKind) ? targetOf(paramKind) : anything;
    const name = reference.name ?? '';
    const verb = name === '' ? 'list' : 'get';
    if (await mayRead(authorizer, ctx, verb, target, { name, namespace: reference.namespace ?? '' })) return undefined;
    const user = userText(ctx.user);
    const minimum = `to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`;
    if (found === undefined) return `unable to get policy ${policyName} ${minimum}`;
    const { apiVersion, kind } = paramKind ?? {};
    if (target.unknown !== undefined) {
      return `unable to ${target.unknown} paramKind &{${apiVersion ?? ''} ${kind ?? ''}} ${minimum}`;
    }
    // kube-apiserver swaps the two for bindings of mutating policies.
    const [first, second] = policies.startsWith('mutating') ? [verb, user] : [user, verb];
    return `user ${first} does not have "${second}" permission on the object referenced by paramRef`;
  };

/** Resources whose objects refer to parameters. */
export type PolicyResource = Policies | `${'validating' | 'mutating'}admissionpolicybindings`;

/** The check of a policy or binding, for code that serves both; its functions receive objects of `resource`. */
function accessOf(resource: PolicyResource, options: ParamAccessOptions): Access<Policy & Binding> {
  const policy: Access<Policy> = {
    path: 'spec.paramKind',
    problem: policyProblem(options),
    asks: ({ spec }) => isSet(spec?.paramKind),
    unchanged: ({ spec }, old) => semanticEqual(spec?.paramKind, old.spec?.paramKind),
  };
  const binding = (policies: Policies): Access<Binding> => ({
    path: 'spec.paramRef',
    problem: bindingProblem(policies, options),
    asks: ({ spec }) => isSet(spec?.paramRef),
    unchanged: ({ spec }, { spec: old }) =>
      semanticEqual(spec?.paramRef, old?.paramRef) && semanticEqual(spec?.policyName, old?.policyName),
  });
  switch (resource) {
    case 'validatingadmissionpolicies':
    case 'mutatingadmissionpolicies':
      return policy;
    case 'validatingadmissionpolicybindings':
      return binding('validatingadmissionpolicies');
    case 'mutatingadmissionpolicybindings':
      return binding('mutatingadmissionpolicies');
  }
}

/** The checks of `withParamAccess`, which run after those of `strategy`. */
export function paramAccessHooks(resource: PolicyResource, strategy: Strategy, options: ParamAccessOptions): Hooks {
  const access: Access<KubeObject> = accessOf(resource, options);
  const asks = (ctx: RequestContext, object: KubeObject): boolean =>
    access.asks(object) && !ctx.user.groups.includes(systemPrivilegedGroup);
  const refused = async (ctx: RequestContext, object: KubeObject): Promise<FieldError[]> => {
    const problem = await access.problem(ctx, object);
    return problem === undefined ? [] : [field.forbidden(access.path, problem)];
  };
  return {
    validate: async (ctx, object) => {
      const errors = (await strategy.validate?.(ctx, object)) ?? [];
      return errors.length > 0 || !asks(ctx, object) ? errors : refused(ctx, object);
    },
    validateUpdate: async (ctx, object, old) => {
      const errors = (await strategy.validateUpdate?.(ctx, object, old)) ?? [];
      if (errors.length > 0 || !asks(ctx, object) || access.unchanged(object, old)) return errors;
      return refused(ctx, object);
    },
  };
}

/**
 * Admission policies read their parameters on behalf of all users, so the author of a policy or binding must be able to read them too. Members
 * of system:masters are exempt. Only objects that pass the other checks are checked.
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#authorization-check
 */
export const withParamAccess =
  (resource: PolicyResource): StrategyHook =>
  (strategy, { options: { authorizer }, store }) => {
    const policy: StoredPolicy = (policies, name) =>
      storedObject(store(`${policies}.admissionregistration.k8s.io`), name);
    return { ...strategy, ...paramAccessHooks(resource, strategy, { authorizer, policy }) };
  };
