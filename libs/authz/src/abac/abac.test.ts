import assert from 'node:assert/strict';
import { attributesOf } from '../attributes.fixture.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';
import { AbacAuthorizer } from './abac-authorizer.ts';
import { parseAbacPolicies } from './policy-file.ts';

const line = (spec: object) =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });

const asked = attributesOf({
  user: { name: 'alice', uid: '', groups: ['system:authenticated', 'devs'], extra: {} },
  verb: 'list',
  apiGroup: 'apps',
  resource: 'deployments',
  namespace: 'shop',
});
const allows = (policies: string, more: Partial<AuthorizationAttributes> = {}): boolean =>
  new AbacAuthorizer(parseAbacPolicies(policies)).authorize({ ...asked, ...more }).decision === 'Allow';

describe('the ABAC authorizer', () => {
  it('matches subjects, verbs and resources', () => {
    const own = line({ user: 'alice', namespace: 'shop', resource: 'deployments', apiGroup: '*', readonly: true });
    assert.ok(allows(own));
    assert.ok(!allows(own, { verb: 'create' }));
    assert.ok(!allows(own, { namespace: 'other' }));
    assert.ok(!allows(own, { resource: 'pods' }));
    assert.ok(!allows(own, { user: { ...asked.user, name: 'bob' } }));
    const both = { user: 'alice', group: 'ops', namespace: '*', resource: '*', apiGroup: '*' };
    assert.ok(!allows(line(both)));
    assert.ok(allows(line({ ...both, group: 'devs' }), { verb: 'delete' }));
    assert.ok(!allows(line({ namespace: '*', resource: '*', apiGroup: '*' })));
    assert.ok(!allows(line({ ...both, group: 'devs', apiGroup: '' })));
  });

  it('matches every authenticated user with *', () => {
    const everybody = line({ user: '*', nonResourcePath: '/metrics/*' });
    const path = { isResourceRequest: false, path: '/metrics/slis', verb: 'get' };
    assert.ok(allows(everybody, path));
    assert.ok(!allows(everybody, { ...path, path: '/healthz' }));
    const anonymous = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'], extra: {} };
    assert.ok(!allows(everybody, { ...path, user: anonymous }));
  });

  it('reads the first version, in which absent fields match', () => {
    assert.ok(allows('# all of it\n\n{"user":"alice"}\n', { verb: 'delete' }));
    assert.ok(allows('{"user":"alice"}', { isResourceRequest: false, path: '/x' }));
    assert.ok(!allows('{"user":"alice","resource":"pods"}'));
    assert.ok(allows('{"readonly":true}'));
  });

  it('returns the reason of a denial, and the rules of a user', async () => {
    const text = line({ group: 'devs', namespace: 'shop', resource: 'pods', apiGroup: '', readonly: true });
    const authorizer = new AbacAuthorizer(parseAbacPolicies(text));
    assert.deepEqual(authorizer.authorize(asked), { decision: 'NoOpinion', reason: 'No policy matched.' });
    assert.deepEqual(authorizer.rulesFor(asked.user, 'shop'), {
      resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'], resourceNames: [] }],
      nonResourceRules: [],
      incomplete: false,
    });
    assert.deepEqual(authorizer.rulesFor(asked.user, 'other').resourceRules, []);
  });

  it('refuses an invalid file with the line', () => {
    assert.throws(() => parseAbacPolicies('{"user":"a"}\nnonsense'), /^Error: line 2: nonsense: /);
    assert.throws(
      () => parseAbacPolicies('{"apiVersion":"x/v1","kind":"Policy"}'),
      /line 1: .*: no kind "Policy" is registered for version "x\/v1"/,
    );
  });
});
