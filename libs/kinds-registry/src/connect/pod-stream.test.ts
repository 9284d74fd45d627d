import assert from 'node:assert/strict';
import type { AuthorizationAttributes, Authorizer, Decision } from '@apichain/authz';
import { noQuery, type RequestContext } from '@apichain/request';
import { checkStreamAuthority, checkForwardedPorts } from './pod-stream.ts';

const contextOf = (verb: string): RequestContext => ({
  requestInfo: {
    isResourceRequest: true,
    path: '/api/v1/namespaces/ns/pods/p/exec',
    verb,
    apiPrefix: 'api',
    apiGroup: '',
    apiVersion: 'v1',
    namespace: 'ns',
    resource: 'pods',
    subresource: 'exec',
    name: 'p',
    parts: ['pods', 'p', 'exec'],
    fieldSelector: '',
    labelSelector: '',
  },
  query: noQuery,
  user: { name: 'bob', uid: '', groups: [], extra: {} },
  signal: new AbortController().signal,
  userAgent: '',
  warn: () => undefined,
});

/** An authorizer with a fixed decision, and the attributes it was called with. */
function authorizerFor(decision: Decision, reason = ''): { authorizer: Authorizer; asked: AuthorizationAttributes[] } {
  const asked: AuthorizationAttributes[] = [];
  const authorize = (attributes: AuthorizationAttributes) => {
    asked.push(attributes);
    return { decision, reason };
  };
  return { authorizer: { authorize }, asked };
}

describe('the right to open streams into pods', () => {
  it('requires the right to create for GET requests', async () => {
    const { authorizer, asked } = authorizerFor('Allow');
    await checkStreamAuthority(authorizer, contextOf('get'));
    assert.deepEqual(
      asked.map(({ verb, resource, subresource, name, user }) => [verb, resource, subresource, name, user.name]),
      [['create', 'pods', 'exec', 'p', 'bob']],
    );
  });

  it('refuses users without the right', async () => {
    const refusal = checkStreamAuthority(authorizerFor('NoOpinion').authorizer, contextOf('get'));
    await assert.rejects(refusal, { message: 'pods "p" is forbidden: ' });
    const said = checkStreamAuthority(authorizerFor('Deny', 'not you').authorizer, contextOf('get'));
    await assert.rejects(said, { message: 'pods "p" is forbidden: not you' });
  });

  it('does not authorize POST requests again', async () => {
    const { authorizer, asked } = authorizerFor('Deny');
    await checkStreamAuthority(authorizer, contextOf('create'));
    assert.deepEqual(asked, []);
  });
});

describe('checkForwardedPorts', () => {
  it('accepts port numbers, and an empty list', () => {
    checkForwardedPorts([]);
    checkForwardedPorts(['80', '443,0,65535']);
  });

  it('refuses the rest as Go does', () => {
    const parsing = 'cannot convert to []int32: strconv.ParseUint: parsing';
    assert.throws(() => checkForwardedPorts(['80,x']), { message: `${parsing} "x": invalid syntax` });
    assert.throws(() => checkForwardedPorts(['']), { message: `${parsing} "": invalid syntax` });
    assert.throws(() => checkForwardedPorts(['65536']), { message: `${parsing} "65536": value out of range` });
  });
});
