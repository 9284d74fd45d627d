import assert from 'node:assert/strict';
import { bindingOf, covers, grantsOf, offersOf, type Attributes, type Policy } from './rbac.ts';

const asked = (changes: Partial<Attributes> = {}): Attributes => ({
  ...{ verb: 'get', group: '', resource: 'pods', subresource: '', namespace: 'shop', name: 'web', path: '' },
  ...changes,
});
const rule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', '*/log'] };

const policy: Policy = {
  clusterRoles: [
    { metadata: { name: 'everything' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] },
    { metadata: { name: 'reader' }, rules: [{ verbs: ['list'], apiGroups: ['apps'], resources: ['*'] }, rule] },
    { metadata: { name: 'probes' }, rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez/*'] }] },
  ],
  roles: [{ metadata: { name: 'pod-reader', namespace: 'shop' }, rules: [rule] }],
  clusterRoleBindings: [
    {
      metadata: { name: 'admins' },
      roleRef: { kind: 'ClusterRole', name: 'everything' },
      subjects: [{ kind: 'Group', name: 'system:masters' }],
    },
  ],
  roleBindings: [
    {
      metadata: { name: 'readers', namespace: 'shop' },
      roleRef: { kind: 'ClusterRole', name: 'reader' },
      subjects: [
        { kind: 'User', name: 'jane' },
        { kind: 'ServiceAccount', name: 'web' },
      ],
    },
  ],
};
const found = (name: string, groups: readonly string[], attributes = asked()) =>
  grantsOf(policy, { name, groups }, attributes).map(({ binding, role }) => [
    binding.metadata.name,
    role.metadata.name,
  ]);

describe('the rules of RBAC', () => {
  it('cover verbs, groups, resources, subresources and names', () => {
    assert.ok(covers(rule, asked()));
    assert.ok(covers(rule, asked({ subresource: 'log' })));
    assert.ok(!covers(rule, asked({ subresource: 'exec' })));
    assert.ok(!covers(rule, asked({ verb: 'delete' })));
    assert.ok(!covers(rule, asked({ group: 'apps' })));
    assert.ok(!covers({ ...rule, resourceNames: ['db'] }, asked()));
    assert.ok(covers({ ...rule, resourceNames: ['db', 'web'] }, asked()));
  });

  it('allow somebody by a user, a group or a ServiceAccount', () => {
    assert.deepEqual(found('jane', []), [['readers', 'reader']]);
    assert.deepEqual(found('system:serviceaccount:shop:web', []), [['readers', 'reader']]);
    assert.deepEqual(found('system:serviceaccount:other:web', []), []);
    assert.deepEqual(found('root', ['system:masters']), [['admins', 'everything']]);
  });

  it('of a namespace do not allow what is asked of all', () => {
    assert.deepEqual(found('jane', [], asked({ namespace: '' })), []);
  });

  it('would allow it: those that allow the least come first', () => {
    assert.deepEqual(
      offersOf(policy, asked()).map(({ role }) => role.metadata.name),
      ['pod-reader', 'reader', 'everything'],
    );
    const path = asked({ path: '/livez/ping' });
    assert.deepEqual(
      offersOf(policy, path).map(({ role }) => role.metadata.name),
      ['probes'],
    );
  });

  it('would allow it by a binding', () => {
    const [offer] = offersOf(policy, asked());
    assert.ok(offer !== undefined);
    assert.match(
      bindingOf(offer, { name: 'jane', groups: [] }, asked()),
      /kind: RoleBinding[^]*kind: Role\n[^]*"jane"/,
    );
    const account = { name: 'system:serviceaccount:shop:web', groups: [] };
    assert.match(
      bindingOf(offer, account, asked({ namespace: '' })),
      /kind: ClusterRoleBinding[^]*name: web\n {2}namespace: shop/,
    );
  });
});
