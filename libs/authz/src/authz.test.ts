import assert from 'node:assert/strict';
import { attributesOf } from './attributes.fixture.ts';
import { AlwaysAllowPathsAuthorizer, PrivilegedGroupsAuthorizer, alwaysAllow, alwaysDeny } from './builtin.ts';
import { AuthorizationDecisions } from './authorization-decisions.ts';
import type { AuthorizationAttributes } from './authorizer.ts';
import { UnionAuthorizer } from './union.ts';

const get = (path: string, ...groups: string[]): AuthorizationAttributes =>
  attributesOf({
    user: { name: 'u', uid: '', groups, extra: {} },
    isResourceRequest: false,
    path,
    apiVersion: '',
    resource: '',
    namespace: '',
  });

describe('authorization', () => {
  it('allows everything to privileged groups', () => {
    const authorizer = new PrivilegedGroupsAuthorizer('system:masters');
    assert.equal(authorizer.authorize(get('/x', 'system:masters')).decision, 'Allow');
    assert.equal(authorizer.authorize(get('/x', 'other')).decision, 'NoOpinion');
  });

  it('allows always-allowed paths for reading', () => {
    const authorizer = new AlwaysAllowPathsAuthorizer(['/healthz', '/livez/*']);
    assert.equal(authorizer.authorize(get('/healthz')).decision, 'Allow');
    assert.equal(authorizer.authorize(get('/livez/ping')).decision, 'Allow');
    assert.equal(authorizer.authorize(get('/healthz/ping')).decision, 'NoOpinion');
    assert.equal(authorizer.authorize({ ...get('/healthz'), verb: 'post' }).decision, 'NoOpinion');
    assert.equal(authorizer.authorize({ ...get('/healthz'), isResourceRequest: true }).decision, 'NoOpinion');
  });

  it('counts decisions by authorizer, also of one that takes the place of another', async () => {
    const decisions = new AuthorizationDecisions();
    const later = { authorize: () => Promise.resolve({ decision: 'Deny', reason: '' } as const) };
    const undecided = { authorize: () => ({ decision: 'NoOpinion', reason: '' }) as const };
    const union = new UnionAuthorizer([
      decisions.counting('ABAC', 'abac', undecided),
      decisions.counting('Webhook', 'first', later),
    ]);
    assert.equal((await union.authorize(get('/x'))).decision, 'Deny');
    await decisions.counting('Webhook', 'first', alwaysAllow).authorize(get('/x'));
    assert.deepEqual(
      [...decisions.all()],
      [
        { type: 'ABAC', name: 'abac', allowed: 0, denied: 0 },
        { type: 'Webhook', name: 'first', allowed: 1, denied: 1 },
      ],
    );
  });

  it('calls authorizers in order and joins the reasons of those without an opinion', async () => {
    const later = {
      authorize: () => Promise.resolve({ decision: 'NoOpinion' as const, reason: 'later', evaluationError: 'e' }),
    };
    assert.equal((await new UnionAuthorizer([alwaysDeny, later, alwaysAllow]).authorize(get('/'))).decision, 'Allow');
    assert.deepEqual(await new UnionAuthorizer([alwaysDeny, later]).authorize(get('/')), {
      decision: 'NoOpinion',
      reason: 'Everything is forbidden.\nlater',
      evaluationError: 'e',
    });
    assert.deepEqual(await new UnionAuthorizer([]).authorize(get('/')), { decision: 'NoOpinion', reason: '' });
  });
});
