import assert from 'node:assert/strict';
import type { RequestContext } from '@apichain/request';
import type { Strategy } from '@apichain/apiserver';
import type { AuthorizationAttributes } from '@apichain/authz';
import type { KubeObject } from '@apichain/meta';
import { paramAccessHooks, type PolicyResource } from './param-access.ts';

const context = (...groups: string[]) => ({ user: { name: 'bob', uid: '', groups, extra: { k: ['v', 'w'] } } });
const bob = context('system:authenticated') as object as RequestContext;
const admin = context('system:masters') as object as RequestContext;
const object = (spec: object): KubeObject => ({ apiVersion: '', kind: '', metadata: { name: 'x' }, spec });

describe('the right to read parameters', () => {
  let asked: AuthorizationAttributes[];
  let policies: Record<string, KubeObject>;
  const hooksOf = (plural: PolicyResource, valid = true) =>
    paramAccessHooks(plural, { validate: () => (valid ? [] : [{}]), validateUpdate: () => [] } as object as Strategy, {
      authorizer: {
        authorize: (attributes) => {
          asked.push(attributes);
          return { decision: 'NoOpinion', reason: '' };
        },
      },
      policy: (_plural, name) => Promise.resolve(policies[name]),
    });
  const create = async (plural: PolicyResource, spec: object, ctx = bob, valid = true) => {
    const [error] = (await hooksOf(plural, valid).validate?.(ctx, object(spec))) ?? [];
    if (error !== undefined) throw new Error(`${error.field}: ${error.message}`);
  };
  const who = String.raw`&\{bob  \[system:authenticated\] map\[k:\[v w\]\]\}`;

  beforeEach(() => {
    asked = [];
    const paramKind = (apiVersion: string, kind: string) => object({ paramKind: { apiVersion, kind } });
    policies = { maps: paramKind('v1', 'ConfigMap'), odd: paramKind('a.b/v1', 'Odd') };
  });

  it('is required to write a policy', async () => {
    const spec = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
    const text = `spec\\.paramKind: Forbidden: user ${who} must have "get" permission on all objects of the referenced paramKind \\(kind=ConfigMap, apiVersion=v1\\)$`;
    await assert.rejects(create('validatingadmissionpolicies', spec), new RegExp(text));
    const [{ verb, resource, name, namespace } = {}] = asked as Partial<AuthorizationAttributes>[];
    assert.deepEqual([verb, resource, name, namespace], ['get', 'configmaps', '*', '*']);
    await create('validatingadmissionpolicies', spec, admin);
    await create('validatingadmissionpolicies', {});
    await assert.rejects(create('validatingadmissionpolicies', spec, bob, false), /^Error: undefined/);
    const { validateUpdate } = hooksOf('validatingadmissionpolicies');
    assert.deepEqual(await validateUpdate?.(bob, object({ ...spec, x: 1 }), object(spec)), []);
    assert.equal(asked.length, 1);
    assert.equal((await validateUpdate?.(bob, object(spec), object({})))?.length, 1);
  });

  it('is required to write a binding, for the paramKind of the policy', async () => {
    const plural = 'validatingadmissionpolicybindings';
    const named = { policyName: 'maps', paramRef: { name: 'p', namespace: 'n' } };
    const refused = `user ${who} does not have "get" permission on the object referenced by paramRef$`;
    await assert.rejects(create(plural, named), new RegExp(`spec\\.paramRef: Forbidden: ${refused}`));
    const selecting = { policyName: 'odd', paramRef: { selector: {} } };
    const unresolved =
      /unable to resolve paramKind &\{a\.b\/v1 Odd\} to determine minimum required permissions and user/;
    await assert.rejects(create(plural, selecting), unresolved);
    await assert.rejects(create(plural, { ...named, policyName: 'none' }), /unable to get policy none to determine/);
    assert.deepEqual(
      asked.map(({ verb, apiGroup, resource, name }) => [verb, apiGroup, resource, name]),
      [
        ['get', '', 'configmaps', 'p'],
        ['list', 'a.b', '*', ''],
        ['get', '*', '*', 'p'],
      ],
    );
    const swapped = `user get does not have "${who}" permission on the object`;
    await assert.rejects(create('mutatingadmissionpolicybindings', named), new RegExp(swapped));
  });
});
