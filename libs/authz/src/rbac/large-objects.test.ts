import assert from 'node:assert/strict';
import { attributesOf } from '../attributes.fixture.ts';
import type { KubeObject } from '@apichain/meta';
import type { ReadableStorage, StoredObject } from '@apichain/storage';
import { RbacAuthorizer } from './authorizer.ts';
import { FollowedRoles } from './followed-roles.ts';
import { LargeBinding, LargeRoles } from './large-objects.ts';

const count = 2_000;
const numbered = <T>(make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

let parsed = 0;
function stored(namespace: string, object: KubeObject): StoredObject {
  const { name = '' } = object.metadata;
  const json = Buffer.from(JSON.stringify({ ...object, metadata: { name, namespace } }));
  return {
    key: `/of/${namespace}/${name}`,
    revision: 1,
    json,
    shapes: new Map(),
    attributes: { name, namespace, labels: {}, fields: {} },
    parse: () => {
      parsed++;
      return JSON.parse(json.toString()) as KubeObject;
    },
  };
}

const roleOf = (name: string): StoredObject =>
  stored('ns', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name },
    rules: numbered((i) => ({ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [`${name}-${i}`] })),
  });
const bindingTo = (role: string): StoredObject =>
  stored('ns', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: `to-${role}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role },
    subjects: numbered((i) => ({ kind: 'User', name: `user-${i}` })),
  });

const ask = (user: string, name: string) =>
  attributesOf({ user: { name: user, uid: '', groups: [], extra: {} }, name });

/** A storage with these objects, whose watches report nothing. */
const holding = (items: readonly StoredObject[]): ReadableStorage => ({
  get: () => assert.fail('not for this test'),
  list: () => Promise.resolve({ items, revision: 1 }),
  watch: () => new Promise(() => undefined),
});

describe('large roles and bindings', () => {
  it('are read when a decision needs them', async () => {
    const objects: Readonly<Record<string, readonly StoredObject[]>> = {
      roles: [roleOf('a'), roleOf('b')],
      rolebindings: [bindingTo('a'), bindingTo('b')],
    };
    const roles = new FollowedRoles();
    const ended = new AbortController();
    const stores = ({ resource }: { readonly resource: string }) => ({
      storage: holding(objects[resource] ?? []),
      prefix: '/of',
    });
    parsed = 0;
    await roles.copy.start({ stores, onError: assert.ifError }, ended.signal);
    assert([...roles.roleBindings('ns')].every((binding) => binding instanceof LargeBinding));
    const authorizer = new RbacAuthorizer(roles);
    assert.equal(
      (await authorizer.authorize(ask('user-1999', 'b-1999'))).reason,
      'RBAC: allowed by RoleBinding "to-b/ns" of Role "b" to User "user-1999"',
    );
    assert.equal((await authorizer.authorize(ask('user-1999', 'c-0'))).decision, 'NoOpinion');
    assert.equal((await authorizer.authorize(ask('other', 'a-0'))).decision, 'NoOpinion');
    assert.equal(parsed, 0, 'read at once');
    ended.abort();
  });

  it('keep the rules of those that were needed last, up to a bound', async () => {
    const roles = new LargeRoles();
    const [first, ...others] = Array.from({ length: 100 }, (_, i) => roleOf(`role-${i}`));
    assert(first !== undefined);
    const [rules, atOnce] = await Promise.all([roles.rulesOf(first), roles.rulesOf(first)]);
    assert.equal(rules.length, count);
    assert.equal(atOnce, rules);
    assert.equal(roles.rulesOf(first), rules, 'without a promise');
    for (const other of others) await roles.rulesOf(other);
    assert.notEqual(await roles.rulesOf(first), rules);
  });

  it('share equal lists of rules that follow each other', async () => {
    const [one, two] = await new LargeRoles().rulesOf(roleOf('a'));
    assert.equal(one?.verbs, two?.verbs);
    assert.equal(one?.nonResourceURLs, two?.nonResourceURLs);
    assert.deepEqual(two?.resourceNames, ['a-1']);
  });
});
