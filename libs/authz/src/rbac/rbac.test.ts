import assert from 'node:assert/strict';
import type { AuthorizationAttributes } from '../authorizer.ts';
import { RbacAuthorizer } from './authorizer.ts';
import { escalationProblem, fullAuthority } from './escalation.ts';
import { describeRule, ruleAllows, type PolicyRule, type Subject } from './policy-rule.ts';
import type { RoleBinding, RoleSource } from './role-source.ts';
import { findMissingRules, missingRules } from './rule-coverage.ts';

const bob = { name: 'bob', uid: '', groups: ['system:authenticated'], extra: {} };

const ask = (more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes => ({
  user: bob,
  verb: 'get',
  isResourceRequest: true,
  path: '',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  name: 'x',
  fieldSelector: '',
  labelSelector: '',
  ...more,
});

const rule = (verbs: string[], apiGroups: string[], resources: string[], resourceNames: string[] = []): PolicyRule => ({
  verbs,
  apiGroups,
  resources,
  resourceNames,
});

/** Roles named `name` of one namespace, each bound to one subject. A role without rules does not exist. */
function bound(
  roles: Record<string, { subject: Subject; rules?: readonly PolicyRule[] }>,
  namespace: string,
): RoleSource {
  const bindings = Object.entries(roles).map(([name, { subject }]): RoleBinding => ({
    name,
    namespace,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: namespace === '' ? 'ClusterRole' : 'Role', name },
    subjects: [subject],
  }));
  return {
    clusterRoleBindings: () => (namespace === '' ? bindings : []),
    roleBindings: (asked) => (asked === namespace ? bindings : []),
    rulesOf: ({ name }) => {
      const { rules } = roles[name] ?? {};
      if (rules === undefined) throw new Error(`role.rbac.authorization.k8s.io "${name}" not found`);
      return rules;
    },
  };
}

describe('RBAC', () => {
  it('matches verbs, groups, resources, subresources, names and paths', () => {
    assert.ok(ruleAllows(rule(['get'], [''], ['pods']), ask()));
    assert.ok(ruleAllows(rule(['*'], ['*'], ['*']), ask({ subresource: 'log', apiGroup: 'apps' })));
    assert.ok(!ruleAllows(rule(['get'], [''], ['pods']), ask({ subresource: 'log' })));
    assert.ok(ruleAllows(rule(['get'], [''], ['*/log']), ask({ subresource: 'log' })));
    assert.ok(!ruleAllows(rule(['get'], [''], ['pods'], ['y']), ask()));
    assert.ok(!ruleAllows(rule(['get'], ['apps'], ['pods']), ask()));
    const paths = { verbs: ['get'], nonResourceURLs: ['/api/*', '/version'] };
    const path = (url: string) => ask({ isResourceRequest: false, path: url, resource: '' });
    assert.ok(ruleAllows(paths, path('/api/v1')));
    assert.ok(!ruleAllows(paths, path('/api')));
    assert.ok(!ruleAllows(paths, path('/version/')));
  });

  it('returns the binding that allows a user, and the missing roles', async () => {
    const subject = { kind: 'ServiceAccount', name: 'sa' };
    const user = { ...bob, name: 'system:serviceaccount:ns:sa' };
    const authorizer = new RbacAuthorizer(bound({ r: { subject, rules: [rule(['get'], [''], ['pods'])] } }, 'ns'));
    assert.deepEqual(await authorizer.authorize(ask({ user })), {
      decision: 'Allow',
      reason: 'RBAC: allowed by RoleBinding "r/ns" of Role "r" to ServiceAccount "sa/ns"',
    });
    assert.equal((await authorizer.authorize(ask({ user, namespace: 'other' }))).decision, 'NoOpinion');
    const group = { kind: 'Group', name: 'system:authenticated' };
    const gone = new RbacAuthorizer(bound({ r: { subject: group } }, 'ns'));
    assert.equal((await gone.authorize(ask())).reason, 'RBAC: role.rbac.authorization.k8s.io "r" not found');
  });

  it('finds the first matching subject of a large binding with an index', async () => {
    let looks = 0;
    const others: Subject[] = Array.from({ length: 1_000 }, (_, i) => ({ kind: 'ServiceAccount', name: `s${i}` }));
    const subjects = (...own: Subject[]): readonly Subject[] =>
      new Proxy([...others, ...own, { kind: 'User', name: 'bob' }], {
        get: (target, member, receiver): unknown => {
          if (typeof member === 'string' && /^\d+$/.test(member)) looks++;
          return Reflect.get(target, member, receiver);
        },
      });
    const reasonOf = async (list: readonly Subject[], user = bob): Promise<string> => {
      const binding = {
        name: 'b',
        namespace: 'ns',
        roleRef: { apiGroup: '', kind: 'Role', name: 'r' },
        subjects: list,
      };
      const authorizer = new RbacAuthorizer({
        clusterRoleBindings: () => [],
        roleBindings: () => [binding],
        rulesOf: () => [rule(['get'], [''], ['pods'])],
      });
      await authorizer.authorize(ask({ user }));
      looks = 0;
      return (await authorizer.authorize(ask({ user }))).reason;
    };
    const to = 'RBAC: allowed by RoleBinding "b/ns" of Role "r" to';
    assert.equal(await reasonOf(subjects()), `${to} User "bob"`);
    assert.ok(looks <= 1, String(looks));
    assert.equal(
      await reasonOf(subjects({ kind: 'Group', name: 'system:authenticated' })),
      `${to} Group "system:authenticated"`,
    );
    const account = { ...bob, name: 'system:serviceaccount:ns:s999', groups: [] };
    assert.equal(await reasonOf(subjects(), account), `${to} ServiceAccount "s999/ns"`);
    assert.equal(await reasonOf(subjects(), { ...bob, name: 'eve', groups: [] }), '');
    assert.ok(looks <= 1, String(looks));
  });

  it('lists the rules of a user', async () => {
    const rules = [rule(['get'], [''], ['pods']), { verbs: ['get'], nonResourceURLs: ['/x'] }];
    const authorizer = new RbacAuthorizer(bound({ r: { subject: { kind: 'User', name: 'bob' }, rules } }, ''));
    assert.deepEqual(await authorizer.rulesFor(bob, 'ns'), {
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      incomplete: false,
    });
  });

  it('covers rules by wider ones', () => {
    const owned = [rule(['get', 'list'], [''], ['pods', '*/scale'])];
    assert.deepEqual(missingRules(owned, [rule(['get'], [''], ['pods'], ['x'])]), []);
    assert.deepEqual(missingRules(owned, [rule(['get'], [''], ['deployments/scale'])]), []);
    assert.equal(missingRules(owned, [rule(['get', 'watch'], ['', 'apps'], ['pods'])]).length, 3);
    assert.equal(missingRules([rule(['get'], [''], ['pods'], ['x'])], [rule(['get'], [''], ['pods'])]).length, 1);
    assert.deepEqual(missingRules(fullAuthority, [{ verbs: ['get'], nonResourceURLs: ['/x'] }, ...owned]), []);
  });

  it('covers long lists without combinations', async () => {
    const many = (prefix: string) => Array.from({ length: 20_000 }, (_, i) => `${prefix}${i}`);
    const wanted = [rule(many('v'), many('g'), many('r'), many('n'))];
    assert.deepEqual(missingRules(fullAuthority, wanted), []);
    assert.deepEqual(missingRules([], wanted), wanted);
    const names = [rule(['get'], [''], ['pods'], many('n'))];
    assert.equal((await findMissingRules([], names)).length, 10_000);
    assert.deepEqual(await findMissingRules([rule(['*'], [''], ['pods'])], names), []);
  });

  it('refuses to grant permissions that the user does not have', async () => {
    const source = bound(
      { r: { subject: { kind: 'User', name: 'bob' }, rules: [rule(['get'], [''], ['pods'])] } },
      'ns',
    );
    assert.equal(await escalationProblem(source, bob, 'ns', [rule(['get'], [''], ['pods'])]), undefined);
    assert.equal(
      await escalationProblem(source, bob, 'ns', [rule(['get', 'list', 'watch'], [''], ['pods', 'secrets'])]),
      'user "bob" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
    );
    assert.equal(describeRule({ verbs: ['get'], nonResourceURLs: ['/x'] }), '{NonResourceURLs:["/x"], Verbs:["get"]}');
  });
});
