import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { resourceAttributes, type AuthorizationAttributes } from '@apichain/authz';
import { delegatedAuthorization } from './authorization.ts';
import { DelegationTest, flagsOf } from './delegation.fixture.ts';

describe('delegated authorization', () => {
  let test: DelegationTest;
  beforeEach(() => {
    test = new DelegationTest();
  });
  afterEach(() => test.close());

  const asked = (more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes =>
    resourceAttributes({
      user: { name: 'jane', uid: '', groups: [], extra: {} },
      verb: 'list',
      ...{ apiGroup: 'example.com', apiVersion: 'v1', resource: 'widgets', namespace: 'ns' },
      ...more,
    });
  const reviewed = (status: object) => {
    test.core.answer = (_method, path) =>
      path === '/apis/authorization.k8s.io/v1/subjectaccessreviews' ? { code: 201, body: { status } } : undefined;
  };

  it('asks the core API, and again when the result has expired', async () => {
    reviewed({ allowed: false, reason: 'no role' });
    const { authorizer } = delegatedAuthorization(
      flagsOf('--authorization-webhook-cache-unauthorized-ttl=2s'),
      test.core,
      { errors: test.errors },
    );
    assert.deepEqual(await authorizer.authorize(asked()), { decision: 'NoOpinion', reason: 'no role' });
    reviewed({ allowed: true });
    assert.equal((await authorizer.authorize(asked())).decision, 'NoOpinion');
    await delay(2_100);
    assert.equal((await authorizer.authorize(asked())).decision, 'Allow');
    assert.equal((await authorizer.authorize(asked())).decision, 'Allow');
    assert.equal(test.core.requests.length, 2);
  });

  it('allows system:masters and health paths without a question', async () => {
    test.core.failure = new Error('away');
    const { authorizer } = delegatedAuthorization(
      flagsOf('--authorization-always-allow-paths=/livez,/open/*'),
      test.core,
      { errors: test.errors },
    );
    const admin = { name: 'root', uid: '', groups: ['system:masters'], extra: {} };
    assert.equal((await authorizer.authorize(asked({ user: admin }))).decision, 'Allow');
    for (const [path, decision] of [
      ['/livez', 'Allow'],
      ['/open/a', 'Allow'],
      ['/metrics', 'NoOpinion'],
    ] as const)
      assert.equal(
        (await authorizer.authorize(asked({ isResourceRequest: false, verb: 'get', path }))).decision,
        decision,
        path,
      );
  });

  it('has no opinion and an error when the core API does not respond', async () => {
    test.core.failure = new Error('connect ECONNREFUSED');
    const { authorizer } = delegatedAuthorization(flagsOf(), test.core, { errors: test.errors });
    assert.deepEqual(await authorizer.authorize(asked()), {
      decision: 'NoOpinion',
      reason: '',
      evaluationError: 'connect ECONNREFUSED',
    });
    assert.match(test.log.join(''), /does not answer SubjectAccessReviews of this server: connect ECONNREFUSED/);
  });

  it('refuses paths with a * in the middle', () => {
    assert.throws(
      () =>
        delegatedAuthorization(flagsOf('--authorization-always-allow-paths=/a*/b'), test.core, { errors: test.errors }),
      {
        name: 'FlagError',
        message: '--authorization-always-allow-paths: only trailing * allowed in "/a*/b"',
      },
    );
  });
});
