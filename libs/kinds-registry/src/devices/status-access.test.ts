import assert from 'node:assert/strict';
import { noQuery, type RequestContext } from '@apichain/request';
import type { Strategy } from '@apichain/apiserver';
import type { Authorizer } from '@apichain/authz';
import { object } from '@apichain/kinds-validation/errors.fixture';
import { claimStatusStrategy, modifiedDrivers } from './status-access.ts';

const claim = (status: object) => object('ResourceClaim', 'c', { status });
const device = (driver: string, name = 'd', more: object = {}) => ({ driver, pool: 'p', device: name, ...more });
const onNode = (...values: string[]) => ({
  nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values }] }] },
});

/** The calls of the authorizer, and the errors, for a change of the status. */
async function check(old: object, changed: object, allowed: readonly string[] = [], node = '') {
  const questions: string[] = [];
  const authorizer: Authorizer = {
    authorize: ({ verb, resource, subresource, namespace, name }) => {
      const question = `${verb} ${resource}/${subresource} ${namespace}/${name}`;
      questions.push(question);
      return Promise.resolve({ decision: allowed.includes(question) ? 'Allow' : 'NoOpinion', reason: '' });
    },
  };
  const requestInfo = {
    verb: 'update',
    isResourceRequest: true,
    path: '',
    apiGroup: 'resource.k8s.io',
    apiVersion: 'v1',
    ...{ apiPrefix: 'apis', parts: [], fieldSelector: '', labelSelector: '' },
  };
  const ctx: RequestContext = {
    user: {
      name: 'system:serviceaccount:ns:driver',
      uid: '',
      groups: [],
      extra: node === '' ? {} : { 'authentication.kubernetes.io/node-name': [node] },
    },
    requestInfo: { ...requestInfo, resource: 'resourceclaims', subresource: 'status', namespace: 'ns', name: 'c' },
    query: noQuery,
    signal: new AbortController().signal,
    userAgent: '',
    warn: () => undefined,
  };
  const labels = () => Promise.resolve({});
  const strategy = claimStatusStrategy({ namespaceScoped: true } as Strategy, { authorizer, labels });
  const errors = (await strategy.validateUpdate?.(ctx, claim(changed), claim(old))) ?? [];
  return { questions, errors: errors.map(({ field: path, message }) => `${path}: ${message}`) };
}

describe('the status of resource claims', () => {
  it('needs the right to bind for the allocation', async () => {
    const question = 'update resourceclaims/binding /';
    assert.deepEqual(await check({}, { allocation: onNode('n') }, [question]), { questions: [question], errors: [] });
    const { errors } = await check({}, { reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] });
    assert.deepEqual(errors, [
      'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: ' +
        'resourceclaims.resource.k8s.io is forbidden: User "system:serviceaccount:ns:driver" cannot update resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
    ]);
    assert.deepEqual(await check({ allocation: {} }, { allocation: {} }), { questions: [], errors: [] });
  });

  it('has devices that drivers report, for any node or for their node', async () => {
    const arbitrary = (driver: string) => `arbitrary-node:update resourceclaims/driver ns/${driver}`;
    const associated = (driver: string) => `associated-node:update resourceclaims/driver ns/${driver}`;
    const devices = [device('b'), device('a')];
    const everywhere = await check({}, { devices }, [arbitrary('a')]);
    assert.deepEqual(everywhere.questions, [arbitrary('a'), arbitrary('b')]);
    assert.deepEqual(everywhere.errors, [
      'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:update]" permission: ' +
        'resourceclaims.resource.k8s.io "b" is forbidden: User "system:serviceaccount:ns:driver" cannot arbitrary-node:update resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "ns"',
    ]);
    const allocation = onNode('n');
    const one = { allocation, devices: [device('a')] };
    const here = await check({ allocation }, one, [associated('a')], 'n');
    assert.deepEqual(here, { questions: [associated('a')], errors: [] });
    const fallback = await check({ allocation }, one, [arbitrary('a')], 'n');
    assert.deepEqual(fallback, { questions: [associated('a'), arbitrary('a')], errors: [] });
    assert.deepEqual((await check({ allocation }, one, [], 'other')).questions, [arbitrary('a')]);
    const [refused] = (await check({ allocation }, one, [], 'n')).errors;
    assert.match(
      refused ?? '',
      /verb="\[associated-node:update arbitrary-node:update\]" permission: .* cannot associated-node:update/,
    );
  });

  it('names the drivers', () => {
    const drivers = (before: object[], after: object[]) =>
      modifiedDrivers(claim({ devices: after }), claim({ devices: before }));
    assert.deepEqual(drivers([device('a')], [device('a')]), []);
    assert.deepEqual(drivers([device('a'), device('c')], [device('a', 'd', { data: { a: 1 } })]), ['a', 'c']);
    assert.deepEqual(drivers([device('a')], [device('a', 'd', { shareID: 's' })]), ['a']);
  });
});
