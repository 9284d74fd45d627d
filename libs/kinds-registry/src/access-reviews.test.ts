import { strict as assert } from 'node:assert';
import { alwaysAllow } from '@apichain/authz';
import { noQuery } from '@apichain/request';
import type { RequestContext } from '@apichain/request';
import type { WriteOptions } from '@apichain/apiserver';
import type { Authorizer } from '@apichain/authz';
import { StatusError, type KubeObject } from '@apichain/meta';
import { accessReviewStorage } from './access-reviews.ts';
import { CreateOnlyStorage } from '@apichain/kinds';
import { builtinGroupVersions } from '@apichain/kinds';

const createdContext = (namespace: string): RequestContext => ({
  requestInfo: {
    isResourceRequest: true,
    path: '/',
    verb: 'create',
    apiPrefix: 'apis',
    apiGroup: 'authorization.k8s.io',
    apiVersion: 'v1',
    namespace,
    resource: '',
    subresource: '',
    name: '',
    parts: [],
    fieldSelector: '',
    labelSelector: '',
  },
  query: noQuery,
  user: { name: 'bob', uid: '', groups: [], extra: {} },
  signal: new AbortController().signal,
  userAgent: 't',
  warn: () => undefined,
});

const findResource = (group: string, plural: string) =>
  builtinGroupVersions
    .filter((gv) => gv.group === group && gv.version === 'v1')
    .flatMap((gv) => gv.resources)
    .find(({ info }) => info.plural === plural);

async function review(plural: string, spec: Record<string, unknown>, metadata: KubeObject['metadata'] = {}) {
  const resource = findResource('authorization.k8s.io', plural);
  assert.ok(resource);
  const storage = accessReviewStorage(resource, {
    authorizer: alwaysAllow,
  });
  assert.ok(storage instanceof CreateOnlyStorage);
  const ctx = createdContext(metadata.namespace ?? '');
  try {
    await storage.create(ctx, '', { apiVersion: 'authorization.k8s.io/v1', kind: 'Review', metadata, spec }, options);
    return [];
  } catch (error) {
    assert.ok(error instanceof StatusError);
    return (error.status.details?.causes ?? []).map(({ field, message }) => `${field ?? ''}: ${message ?? ''}`);
  }
}

const options: WriteOptions = { dryRun: false, fieldManager: 't', fieldValidation: 'Ignore' };
const asked = { verb: 'get', resource: 'pods' };

describe('access reviews', () => {
  it('have no metadata of their own', async () => {
    assert.deepEqual(await review('subjectaccessreviews', { user: 'u', resourceAttributes: asked }), []);
    assert.deepEqual(await review('subjectaccessreviews', { user: 'u', resourceAttributes: asked }, { name: 'x' }), [
      'metadata: Invalid value: {"name":"x"}: must be empty',
    ]);
    const here = { user: 'u', resourceAttributes: { ...asked, namespace: 'n' } };
    assert.deepEqual(await review('localsubjectaccessreviews', here, { namespace: 'n' }), []);
    assert.deepEqual(await review('localsubjectaccessreviews', here, { namespace: 'n', name: 'x' }), [
      'metadata: Invalid value: {"name":"x","namespace":"n"}: must be empty except for namespace',
    ]);
  });

  it('have one kind of attributes, named as in the API server', async () => {
    const both = { resourceAttributes: asked, nonResourceAttributes: { path: '/', verb: 'get' } };
    assert.deepEqual(await review('selfsubjectaccessreviews', both), [
      'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    ]);
  });

  it('accept unknown operators, but refuse invalid labels', async () => {
    const labelSelector = {
      requirements: [
        { key: 'a', operator: 'Matches', values: ['c d'] },
        { key: 'b', operator: 'In' },
      ],
    };
    const [first = '', ...rest] = await review('selfsubjectaccessreviews', {
      resourceAttributes: { ...asked, labelSelector },
    });
    const path = 'spec.resourceAttributes.labelSelector.requirements';
    assert.ok(first.startsWith(`${path}[0].values[0]: Invalid value: "c d": a valid label must be an empty string`));
    assert.deepEqual(rest, [
      `${path}[1].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    ]);
  });

  it('report invalid selectors, and authorize without those parts', async () => {
    const asks: string[] = [];
    const authorizer: Authorizer = {
      authorize: ({ fieldSelector, labelSelector }) => {
        asks.push(`${fieldSelector}|${labelSelector}`);
        return { decision: 'NoOpinion', reason: '', evaluationError: 'broken' };
      },
    };
    const statusOf = async (selectors: object): Promise<unknown> => {
      const resource = findResource('authorization.k8s.io', 'selfsubjectaccessreviews');
      assert.ok(resource);
      const storage = accessReviewStorage(resource, { authorizer });
      assert.ok(storage instanceof CreateOnlyStorage);
      const object: KubeObject = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        metadata: {},
        spec: { resourceAttributes: { ...asked, ...selectors } },
      };
      const reviewed = await storage.create(createdContext(''), '', object, options);
      assert.ok('status' in reviewed);
      return reviewed.status;
    };
    const requirements = [
      { key: 'a', operator: 'In', values: ['b,c'] },
      { key: 'd', operator: 'In', values: ['e', 'f'] },
    ];
    assert.deepEqual(await statusOf({ labelSelector: { rawSelector: '!!' }, fieldSelector: { requirements } }), {
      allowed: false,
      evaluationError:
        'broken; spec.resourceAttributes.fieldSelector partially ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error',
    });
    assert.deepEqual(
      await statusOf({ labelSelector: { rawSelector: 'a in (b)' }, fieldSelector: { rawSelector: 'a=b' } }),
      {
        allowed: false,
        evaluationError: 'broken',
      },
    );
    assert.deepEqual(asks, ['a=b\\,c|', 'a=b|a in (b)']);
  });
});

describe('token reviews', () => {
  it('keep the status of the client for an unknown token', async () => {
    const resource = findResource('authentication.k8s.io', 'tokenreviews');
    assert.ok(resource);
    const storage = accessReviewStorage(resource, {
      authorizer: { authorize: () => ({ decision: 'Deny', reason: '' }) },
      reviewToken: () => Promise.resolve({ error: 'unknown' }),
    });
    assert.ok(storage instanceof CreateOnlyStorage);
    const status = { authenticated: true, user: { username: 'u' }, audiences: ['a'], error: 'mine' };
    const asking = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token: 't' } };
    const reviewed = await storage.create(createdContext(''), '', { ...asking, status }, options);
    assert.ok('status' in reviewed);
    assert.deepEqual(reviewed.status, { user: { username: 'u' }, audiences: ['a'], error: 'unknown' });
  });
});
