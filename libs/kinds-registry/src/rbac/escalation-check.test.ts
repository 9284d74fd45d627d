import assert from 'node:assert/strict';
import { noQuery } from '@apichain/request';
import type { RequestContext } from '@apichain/request';
import { RbacAuthorizer, type PolicyRule, type RoleSource } from '@apichain/authz';
import { newNotFound, type KubeObject } from '@apichain/meta';
import { escalationHooks, type RbacResource } from './escalation-check.ts';

const group = 'rbac.authorization.k8s.io';
const pods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

/** User bob has the role `own` with the rules `granted`. */
function rolesWith(...granted: PolicyRule[]): RoleSource {
  const roleRef = { apiGroup: group, kind: 'Role', name: 'own' };
  const rules: Readonly<Record<string, readonly PolicyRule[]>> = { own: granted, pods: [pods] };
  return {
    clusterRoleBindings: () => [],
    roleBindings: () => [{ name: 'b', namespace: 'ns', roleRef, subjects: [{ kind: 'User', name: 'bob' }] }],
    rulesOf: ({ name }) => {
      const found = rules[name];
      if (found === undefined) throw newNotFound({ group, resource: 'roles' }, name);
      return found;
    },
  };
}

function contextOf(resource: string, groups: string[] = []): RequestContext {
  return {
    requestInfo: {
      isResourceRequest: true,
      path: '',
      verb: 'create',
      apiPrefix: 'apis',
      apiGroup: group,
      apiVersion: 'v1',
      namespace: 'ns',
      resource,
      subresource: '',
      name: '',
      parts: [resource],
      fieldSelector: '',
      labelSelector: '',
    },
    query: noQuery,
    user: { name: 'bob', uid: '', groups, extra: {} },
    signal: new AbortController().signal,
    userAgent: '',
    warn: () => undefined,
  };
}

const role = (...rules: PolicyRule[]): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Role',
  metadata: { name: 'r' },
  rules,
});
const bindingTo = (name: string): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'b' },
  roleRef: { apiGroup: group, kind: 'Role', name },
});

describe('writing roles and bindings', () => {
  const write = async (
    source: RoleSource,
    resource: RbacResource,
    object: KubeObject,
    old?: KubeObject,
    groups?: string[],
  ) => {
    const hooks = escalationHooks(resource, new RbacAuthorizer(source), source);
    const ctx = contextOf(resource, groups);
    if (old === undefined) await hooks.beginCreate?.(ctx, object, false);
    else await hooks.checkUpdate?.(ctx, object, old);
  };
  const forbidden =
    /is forbidden: user "bob" \(groups=\[\]\) is attempting to grant RBAC permissions not currently held:\n/;

  it('requires the granted rules, or the verb escalate', async () => {
    await write(rolesWith(pods), 'roles', role(pods));
    await assert.rejects(write(rolesWith(), 'roles', role(pods)), { message: forbidden });
    await write(rolesWith(), 'roles', role(pods), undefined, ['system:masters']);
    const escalate = { verbs: ['escalate'], apiGroups: [group], resources: ['roles'] };
    await write(rolesWith(escalate), 'roles', role(pods));
  });

  it('requires nothing for changes of finalizers and owner references only', async () => {
    const owned = { ...role(pods), metadata: { name: 'r', finalizers: ['a.b/c'] } };
    await write(rolesWith(), 'roles', owned, role(pods));
    const labelled = { ...role(pods), metadata: { name: 'r', labels: { a: 'b' } } };
    await assert.rejects(write(rolesWith(), 'roles', labelled, role(pods)), { message: forbidden });
  });

  it('does not show a generated name', async () => {
    const named = (name: string): KubeObject => ({ ...role(pods), metadata: { name, generateName: 'r-' } });
    await assert.rejects(write(rolesWith(), 'roles', named('r-x2x2x')), { message: /^roles\.rbac\S+ is forbidden/ });
    await assert.rejects(write(rolesWith(), 'roles', named('r')), { message: /^roles\.rbac\S+ "r" is forbidden/ });
  });

  it('requires all rules for an aggregationRule', async () => {
    const aggregated = { ...role(), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
    await assert.rejects(write(rolesWith(pods), 'clusterroles', aggregated), {
      message: /must have cluster-admin privileges to use the aggregationRule$/,
    });
    await write(rolesWith(pods), 'clusterroles', { ...role(), aggregationRule: { clusterRoleSelectors: [] } });
  });

  it('requires the rules of the bound role, or the verb bind', async () => {
    await write(rolesWith(pods), 'rolebindings', bindingTo('pods'));
    await assert.rejects(write(rolesWith(), 'rolebindings', bindingTo('pods')), { message: forbidden });
    await assert.rejects(write(rolesWith(), 'rolebindings', bindingTo('none')), {
      message: `rolebindings.${group} "none" not found`,
    });
    const bind = { verbs: ['bind'], apiGroups: [group], resources: ['roles'], resourceNames: ['pods'] };
    await write(rolesWith(bind), 'rolebindings', bindingTo('pods'));
  });
});
