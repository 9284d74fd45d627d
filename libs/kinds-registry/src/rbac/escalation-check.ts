import { isGeneratedName, type Strategy } from '@apichain/apiserver';
import type { RequestContext } from '@apichain/request';
import type { ClusterRole } from '@apichain/api/rbac/v1';
import { systemPrivilegedGroup } from '@apichain/authn';
import {
  bindingOf,
  escalationProblem,
  fullAuthority,
  type AuthorizationAttributes,
  type Authorizer,
  type PolicyRule,
  rbacGroup,
  type RoleSource,
  rulesOfRole,
  resourceAttributes,
} from '@apichain/authz';
import { isStatusError, newForbidden, newNotFound, type KubeObject, semanticEqual } from '@apichain/meta';
import type { StrategyHook } from '../strategies/server-hooks.ts';
import { StoredRoles } from './stored-roles.ts';

type Hooks = Pick<Strategy, 'beginCreate' | 'checkUpdate'>;
type Check = (ctx: RequestContext, object: KubeObject, old: KubeObject | undefined) => Promise<void>;

const group = rbacGroup;
const nothingTaken = (): void => undefined;

const hooksOf = (check: Check): Hooks => ({
  beginCreate: async (ctx, object) => {
    await check(ctx, object, undefined);
    return nothingTaken;
  },
  checkUpdate: check,
});

/** The resources of RBAC. */
export type RbacResource = 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings';

/** The checks of `withEscalationCheck`, with an authorizer and the existing roles. */
export function escalationHooks(resource: RbacResource, authorizer: Authorizer, roles: RoleSource): Hooks {
  const asked = askedThrough(resource, roles);
  switch (resource) {
    case 'roles':
    case 'clusterroles':
      return hooksOf((ctx, object, old) => checkRole(resource, authorizer, asked, ctx, object, old));
    case 'rolebindings':
    case 'clusterrolebindings':
      return hooksOf((ctx, object, old) => checkBinding(resource, authorizer, asked, ctx, object, old));
  }
}

/**
 * Prevents privilege escalation through the RBAC API: users may only write rules that they hold, and only bind roles whose rules they hold. The
 * verbs `escalate` and `bind` lift this restriction; system:masters is exempt.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
export const withEscalationCheck =
  (resource: RbacResource): StrategyHook =>
  (strategy, { options: { authorizer }, store }) => {
    const roles = new StoredRoles((stored) => store(`${stored}.${group}`));
    return { ...strategy, ...escalationHooks(resource, authorizer, roles) };
  };

/** As in kube-apiserver, NotFound for a missing role names the resource that is being written. */
const askedThrough = (resource: string, roles: RoleSource): RoleSource => ({
  clusterRoleBindings: () => roles.clusterRoleBindings(),
  roleBindings: (namespace) => roles.roleBindings(namespace),
  rulesOf: async (ref, namespace) => {
    try {
      return await roles.rulesOf(ref, namespace);
    } catch (error) {
      throw isStatusError(error, 'NotFound') ? newNotFound({ group, resource }, ref.name) : error;
    }
  },
});

/** The name in the request. kube-apiserver generates names after this check, so a generated name is not shown. */
function askedName({ metadata: { name = '', generateName: base = '' } }: KubeObject): string {
  return base !== '' && isGeneratedName(name, base) ? '' : name;
}

const isAggregated = ({ aggregationRule }: ClusterRole): boolean =>
  (aggregationRule?.clusterRoleSelectors ?? []).length > 0;

const isFree = (ctx: RequestContext): boolean => ctx.user.groups.includes(systemPrivilegedGroup);

/** Whether the objects differ only in fields that the garbage collector uses. */
function onlyGarbageCollection(object: KubeObject, old: KubeObject | undefined): boolean {
  if (old === undefined) return false;
  const { ownerReferences, finalizers, managedFields } = old.metadata;
  const metadata = { ...object.metadata, ownerReferences, finalizers, managedFields };
  return semanticEqual({ ...object, metadata }, old);
}

async function mayUse(
  authorizer: Authorizer,
  ctx: RequestContext,
  verb: string,
  target: Pick<AuthorizationAttributes, 'apiGroup' | 'resource' | 'name'>,
): Promise<boolean> {
  const { namespace } = ctx.requestInfo;
  const asked = { apiVersion: '*', namespace, ...target };
  const { decision } = await authorizer.authorize(resourceAttributes({ user: ctx.user, verb, ...asked }));
  return decision === 'Allow';
}

async function checkRole(
  resource: 'roles' | 'clusterroles',
  authorizer: Authorizer,
  roles: RoleSource,
  ctx: RequestContext,
  object: KubeObject,
  old: KubeObject | undefined,
): Promise<void> {
  const { apiGroup, name, namespace } = ctx.requestInfo;
  if (isFree(ctx) || onlyGarbageCollection(object, old)) return;
  if (await mayUse(authorizer, ctx, 'escalate', { apiGroup, resource, name })) return;
  const refuse = (problem: string | undefined) => {
    if (problem !== undefined) throw newForbidden({ group, resource }, askedName(object), problem);
  };
  refuse(await escalationProblem(roles, ctx.user, namespace, rulesOfRole(object)));
  if (!isAggregated(object) && (old === undefined || !isAggregated(old))) return;
  const lacking = await escalationProblem(roles, ctx.user, namespace, fullAuthority);
  if (lacking !== undefined) refuse('must have cluster-admin privileges to use the aggregationRule');
}

async function checkBinding(
  resource: 'rolebindings' | 'clusterrolebindings',
  authorizer: Authorizer,
  roles: RoleSource,
  ctx: RequestContext,
  object: KubeObject,
  old: KubeObject | undefined,
): Promise<void> {
  if (isFree(ctx) || onlyGarbageCollection(object, old)) return;
  const { roleRef } = bindingOf(object);
  const target = {
    apiGroup: roleRef.apiGroup,
    resource: roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles',
    name: roleRef.name,
  };
  if (await mayUse(authorizer, ctx, 'bind', target)) return;
  const { namespace } = ctx.requestInfo;
  const rules: readonly PolicyRule[] = await roles.rulesOf(roleRef, namespace);
  const problem = await escalationProblem(roles, ctx.user, namespace, rules);
  if (problem !== undefined) throw newForbidden({ group, resource }, askedName(object), problem);
}
