import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { AnonymousAuthenticator, anonymousUser } from './anonymous.ts';
import { escapeExtraKey, unescapeExtraKey } from './request-header.ts';
import { parseTokenFile } from './token-file.ts';
import { BearerTokenAuthenticator, StaticTokenAuthenticator, bearerToken } from './token.ts';
import { UnionAuthenticator } from './union.ts';
import { parseServiceAccountName, withAuthenticatedGroup } from './well-known.ts';

function requestWith(headers: Record<string, string>, url = '/'): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.url = url;
  Object.assign(request.headers, headers);
  return request;
}

const user = (name: string) => ({ name, uid: '', groups: [], extra: {} });

describe('authentication', () => {
  it('reads token files', () => {
    const users = parseTokenFile('t1,alice,u1,"a, b"\n\n# comment\nt2, bob ,u2\n"t""3",carol,u3,g\n');
    assert.deepEqual(users.get('t1'), { name: 'alice', uid: 'u1', groups: ['a', 'b'], extra: {} });
    assert.deepEqual(users.get('t2'), { name: 'bob', uid: 'u2', groups: [], extra: {} });
    assert.deepEqual(users.get('t"3')?.groups, ['g']);
    assert.throws(() => parseTokenFile('t1,alice'), /line 1: must have at least 3 columns/);
    assert.throws(() => parseTokenFile(',alice,u'), /empty token/);
  });

  it('finds bearer tokens', () => {
    assert.equal(bearerToken(requestWith({ authorization: 'bearer  abc ' })), 'abc');
    assert.equal(bearerToken(requestWith({ authorization: 'Basic abc' })), undefined);
    const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from('abc').toString('base64url')}`;
    assert.equal(bearerToken(requestWith({ 'sec-websocket-protocol': `${protocol}, v4.channel.k8s.io` })), 'abc');
    assert.throws(() => bearerToken(requestWith({ 'sec-websocket-protocol': protocol })), /missing additional/);
  });

  it('removes the subprotocol with the token from the request', async () => {
    const tokens = new BearerTokenAuthenticator(new StaticTokenAuthenticator(new Map([['abc', user('alice')]])));
    const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from('abc').toString('base64url')}`;
    const offered = `v5.channel.k8s.io, ${protocol},v4.channel.k8s.io`;
    const request = requestWith({ 'sec-websocket-protocol': offered });
    request.rawHeaders = ['Sec-WebSocket-Protocol', offered];
    assert.equal((await tokens.authenticate(request))?.name, 'alice');
    assert.equal(request.headers['sec-websocket-protocol'], 'v5.channel.k8s.io,v4.channel.k8s.io');
    assert.deepEqual(request.rawHeaders, ['Sec-WebSocket-Protocol', 'v5.channel.k8s.io,v4.channel.k8s.io']);
  });

  it('returns the first user, and does not treat a refused credential as a missing one', async () => {
    const tokens = new BearerTokenAuthenticator(new StaticTokenAuthenticator(new Map([['abc', user('alice')]])));
    const failing = { authenticate: () => Promise.reject(new Error('bad certificate')) };
    const union = new UnionAuthenticator([failing, tokens], new AnonymousAuthenticator());
    const alice = await union.authenticate(requestWith({ authorization: 'Bearer abc' }));
    assert.deepEqual(alice, { ...user('alice'), groups: ['system:authenticated'] });
    await assert.rejects(async () => union.authenticate(requestWith({ authorization: 'Bearer x' })), {
      message: '[bad certificate, invalid bearer token]',
    });
    const pathOf = (request: { url?: string | undefined }) => request.url?.split('?')[0] ?? '';
    const open = new UnionAuthenticator([tokens], new AnonymousAuthenticator(['/healthz'], pathOf));
    assert.equal(await open.authenticate(requestWith({}, '/healthz?verbose')), anonymousUser);
    assert.equal(await open.authenticate(requestWith({}, '/api')), undefined);
  });

  it('parses service accounts and groups', () => {
    assert.deepEqual(parseServiceAccountName('system:serviceaccount:ns:sa'), { namespace: 'ns', name: 'sa' });
    assert.equal(parseServiceAccountName('system:serviceaccount:bad'), undefined);
    assert.equal(parseServiceAccountName('system:serviceaccount:ns:Bad_'), undefined);
    assert.deepEqual(withAuthenticatedGroup(user('a')).groups, ['system:authenticated']);
    assert.equal(withAuthenticatedGroup(anonymousUser), anonymousUser);
  });

  it('escapes extra keys for headers', () => {
    assert.equal(escapeExtraKey('example.com/a%b'), 'example.com%2Fa%25b');
    for (const key of ['a', 'example.com/x', 'ü ']) assert.equal(unescapeExtraKey(escapeExtraKey(key)), key);
    assert.equal(unescapeExtraKey('%zz'), '%zz');
  });
});
