import assert from 'node:assert/strict';
import { attributesOf } from '../attributes.fixture.ts';
import type { KubeObject } from '@apichain/meta';
import { KeyNotFoundError, type ReadableStorage, type StoredObject } from '@apichain/storage';
import { RbacAuthorizer } from './authorizer.ts';
import { FollowedRoles } from './followed-roles.ts';
import { LargeBinding, largeRole, LargeRoles } from './large-objects.ts';

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
  get: (key) => {
    const found = items.find((item) => item.key === key);
    return found === undefined ? Promise.reject(new KeyNotFoundError(key)) : Promise.resolve(found);
  },
  list: () => Promise.resolve({ items, revision: 1 }),
  watch: () => new Promise(() => undefined),
});

const storesOf =
  (objects: Readonly<Record<string, readonly StoredObject[]>>) =>
  ({ resource }: { readonly resource: string }) => ({ storage: holding(objects[resource] ?? []), prefix: '/of' });

describe('large roles and bindings', () => {
  it('are read when a decision needs them', async () => {
    const held = [roleOf('a'), roleOf('b')];
    const objects: Readonly<Record<string, readonly StoredObject[]>> = {
      roles: held,
      rolebindings: [bindingTo('a'), bindingTo('b')],
    };
    const roles = new FollowedRoles();
    const ended = new AbortController();
    const stores = storesOf(objects);
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
    held.length = 0;
    const { decision, reason } = await new RbacAuthorizer(roles).authorize(ask('user-0', 'a-0'));
    assert.equal(decision, 'Allow', 'the rules that were read are kept');
    assert.equal(reason, 'RBAC: allowed by RoleBinding "to-a/ns" of Role "a" to User "user-0"');
    ended.abort();
  });

  it('keep the rules of those that were needed last, up to a bound', async () => {
    const objects = Array.from({ length: 100 }, (_, i) => roleOf(`role-${i}`));
    const roles = new LargeRoles(({ key }) => holding(objects).get(key, { resourceVersion: '1' }));
    const [first, ...others] = objects.map(largeRole);
    assert(first !== undefined);
    const [rules, atOnce] = await Promise.all([roles.rulesOf(first), roles.rulesOf(first)]);
    assert.equal(rules.length, count);
    assert.equal(atOnce, rules);
    assert.equal(roles.rulesOf(first), rules, 'without a promise');
    for (const other of others) await roles.rulesOf(other);
    assert.notEqual(await roles.rulesOf(first), rules);
  });

  it('are read again after the store failed', async () => {
    const role = roleOf('a');
    let failures = 1;
    const roles = new LargeRoles(() =>
      failures-- > 0 ? Promise.reject(new Error('no leader')) : Promise.resolve(role),
    );
    const held = largeRole(role);
    await assert.rejects(async () => roles.rulesOf(held), /no leader/);
    assert.equal((await roles.rulesOf(held)).length, count);
  });

  it('are not found when they were deleted meanwhile', async () => {
    const held = [roleOf('a')];
    const objects: Readonly<Record<string, readonly StoredObject[]>> = { roles: held, rolebindings: [bindingTo('a')] };
    const roles = new FollowedRoles();
    const ended = new AbortController();
    const stores = storesOf(objects);
    await roles.copy.start({ stores, onError: assert.ifError }, ended.signal);
    held.length = 0;
    const { decision, reason } = await new RbacAuthorizer(roles).authorize(ask('user-0', 'a-0'));
    assert.equal(decision, 'NoOpinion');
    assert.equal(reason, 'RBAC: role.rbac.authorization.k8s.io "a" not found');
    ended.abort();
  });

  it('share equal lists of rules that follow each other', async () => {
    const role = roleOf('a');
    const [one, two] = await new LargeRoles(() => Promise.resolve(role)).rulesOf(largeRole(role));
    assert.equal(one?.verbs, two?.verbs);
    assert.equal(one?.nonResourceURLs, two?.nonResourceURLs);
    assert.deepEqual(two?.resourceNames, ['a-1']);
  });
});
