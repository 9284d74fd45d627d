import assert from 'node:assert/strict';
import { attributesOf } from '../attributes.fixture.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';
import { RbacAuthorizer } from './authorizer.ts';
import { escalationProblem, fullAuthority } from './escalation.ts';
import { withIndex } from './large-objects.ts';
import { describeRule, ruleAllows, type PolicyRule, type Subject } from './policy-rule.ts';
import type { RoleBinding, RoleSource } from './role-source.ts';
import { findMissingRules, missingRules, type OwnedRules } from './rule-coverage.ts';

const ask = (more: Partial<AuthorizationAttributes> = {}) => attributesOf({ name: 'x', ...more });
const bob = ask().user;

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

/** A part of a rule has no names when the rule has none. */
const short = ({ verbs, apiGroups, resources }: PolicyRule): PolicyRule => ({ verbs, apiGroups, resources });

/** Rules in several grants. */
const owning =
  (...grants: readonly (readonly PolicyRule[])[]): OwnedRules =>
  async (take) => {
    for (const rules of grants) if (!(await take(rules))) return;
  };

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

  it('finds the first matching subject of a large binding', async () => {
    const others: Subject[] = Array.from({ length: 1_000 }, (_, i) => ({ kind: 'ServiceAccount', name: `s${i}` }));
    const reasonOf = async (own: Subject[], user = bob): Promise<string> => {
      const subjects = [...others, ...own, { kind: 'User', name: 'bob' }];
      const binding = { name: 'b', namespace: 'ns', roleRef: { apiGroup: '', kind: 'Role', name: 'r' }, subjects };
      const reasons = [binding, withIndex(binding)].map(async (each) => {
        const source: RoleSource = {
          clusterRoleBindings: () => [],
          roleBindings: () => [each],
          rulesOf: () => [rule(['get'], [''], ['pods'])],
        };
        return (await new RbacAuthorizer(source).authorize(ask({ user }))).reason;
      });
      const [scanned, indexed] = await Promise.all(reasons);
      assert.equal(indexed, scanned);
      return indexed ?? '';
    };
    const to = 'RBAC: allowed by RoleBinding "b/ns" of Role "r" to';
    assert.equal(await reasonOf([]), `${to} User "bob"`);
    const group = { kind: 'Group', name: 'system:authenticated' };
    assert.equal(await reasonOf([group]), `${to} Group "system:authenticated"`);
    assert.equal(await reasonOf([group], { ...bob, name: 'eve' }), `${to} Group "system:authenticated"`);
    const many = { ...bob, groups: [...Array.from({ length: 40 }, (_, i) => `g${i}`), 'system:authenticated'] };
    assert.equal(await reasonOf([group, { kind: 'Group', name: 'g39' }], many), `${to} Group "system:authenticated"`);
    const account = { ...bob, name: 'system:serviceaccount:ns:s999', groups: [] };
    assert.equal(await reasonOf([], account), `${to} ServiceAccount "s999/ns"`);
    assert.equal(await reasonOf([], { ...bob, name: 'eve', groups: [] }), '');
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
    assert.equal((await findMissingRules(owning(), names)).length, 10_000);
    assert.deepEqual(await findMissingRules(owning([rule(['*'], [''], ['pods'])]), names), []);
  });

  it('covers rules by those of several grants', async () => {
    const wanted = [rule(['get', 'list'], ['', 'apps'], ['pods', 'secrets']), rule(['get'], [''], ['nodes'])];
    const granted = [
      [rule(['get'], ['*'], ['pods'])],
      [rule(['list'], ['', 'apps'], ['*']), rule(['get'], [''], ['nodes'])],
      [rule(['get'], ['apps'], ['secrets'])],
    ];
    assert.deepEqual(await findMissingRules(owning(...granted), wanted), [rule(['get'], [''], ['secrets'])].map(short));
    assert.deepEqual(await findMissingRules(owning(...granted), wanted), missingRules(granted.flat(), wanted));
  });

  it('visits a role once, however often it is bound', async () => {
    const binding = (name: string): RoleBinding => ({
      name,
      namespace: 'ns',
      roleRef: { apiGroup: '', kind: name.startsWith('c') ? 'ClusterRole' : 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'bob' }],
    });
    const read: string[] = [];
    const authorizer = new RbacAuthorizer({
      clusterRoleBindings: () => [],
      roleBindings: () => ['a', 'b', 'c1', 'c2'].map(binding),
      rulesOf: ({ kind }) => {
        read.push(kind);
        return [rule(['get'], [''], [kind])];
      },
    });
    assert.equal((await authorizer.authorize(ask())).decision, 'NoOpinion');
    assert.deepEqual(read, ['Role', 'ClusterRole']);
  });

  it('lists no more than 100,000 rules, and says so', async () => {
    const rules = Array.from({ length: 60_000 }, (_, i) => rule(['get'], [''], ['pods'], [`n${i}`]));
    const subject = { kind: 'User', name: 'bob' };
    const authorizer = new RbacAuthorizer(bound({ a: { subject, rules }, b: { subject, rules } }, 'ns'));
    const { resourceRules, incomplete, evaluationError } = await authorizer.rulesFor(bob, 'ns');
    assert.deepEqual([resourceRules.length, incomplete], [100_000, true]);
    assert.equal(evaluationError, 'only the first 100000 rules are listed');
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
