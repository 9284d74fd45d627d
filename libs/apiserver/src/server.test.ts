import assert from 'node:assert/strict';
import { alwaysAllow } from '@apichain/authz';
import { call, installEcho, occupy, TestServers } from './server.fixture.ts';
import { defaultLimits } from './server-config.ts';

describe('GenericApiServer', () => {
  const servers = new TestServers();

  it('authenticates certificates, tokens, front proxies and anonymous requests', async () => {
    const target = await servers.start({ authorizer: alwaysAllow }, installEcho);
    const who = async (options: Parameters<typeof call>[2]) => {
      const response = await call(target, '/whoami', options);
      return response.status === 200 ? (response.json['user'] as { name: string; groups: string[] }) : response.status;
    };
    assert.deepEqual(await who({ as: servers.certificates.bob }), {
      name: 'bob',
      uid: '',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: (await call(target, '/whoami', { as: servers.certificates.bob })).json['user']!['extra' as never],
    });
    assert.deepEqual(await who({ headers: { authorization: 'Bearer secret' } }), {
      name: 'carol',
      uid: 'u1',
      groups: ['g', 'system:authenticated'],
      extra: {},
    });
    assert.equal(await who({ headers: { authorization: 'Bearer wrong' } }), 401);
    assert.deepEqual(await who({}), {
      name: 'system:anonymous',
      uid: '',
      groups: ['system:unauthenticated'],
      extra: {},
    });
    const proxied = {
      'x-remote-user': 'dave',
      'x-remote-group': ['a', 'b,c'],
      'x-remote-uid': '7',
      'x-remote-extra-example.com%2fscopes': 'view',
    };
    assert.deepEqual(await who({ as: servers.certificates.frontProxy, headers: proxied }), {
      name: 'dave',
      uid: '7',
      groups: ['a', 'b,c', 'system:authenticated'],
      extra: { 'example.com/scopes': ['view'] },
    });
    assert.equal(((await who({ as: servers.certificates.bob, headers: proxied })) as { name: string }).name, 'bob');
    assert.equal(await who({ as: servers.certificates.frontProxy }), 401);
  });

  it('refuses with the messages of kube-apiserver', async () => {
    const target = await servers.start();
    const bob = await call(target, '/api/v1/namespaces/n/pods/p/log', { as: servers.certificates.bob });
    assert.equal(bob.status, 403);
    assert.equal(bob.headers['x-content-type-options'], 'nosniff');
    assert.deepEqual(bob.json, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'pods "p" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "n": Everything is forbidden.',
      reason: 'Forbidden',
      details: { name: 'p', kind: 'pods' },
      code: 403,
    });
    const path = await call(target, '/a<b>', {});
    assert.equal(
      path.json['message'],
      'forbidden: User "system:anonymous" cannot get path "/a&lt;b&gt;": Everything is forbidden.',
    );
    const wrong = await call(target, '/api', { headers: { authorization: 'Bearer x' } });
    assert.equal(wrong.status, 401);
    assert.equal(wrong.json['message'], 'Unauthorized');
    const yaml = await call(target, '/api', { headers: { authorization: 'Bearer x', accept: 'application/yaml' } });
    assert.match(yaml.text, /^apiVersion: v1\ncode: 401\nkind: Status\n/);
  });

  it('impersonates for authorized users', async () => {
    const target = await servers.start({}, installEcho);
    const as = servers.certificates.admin;
    const impersonated = async (headers: Record<string, string | string[]>) =>
      call(target, '/whoami', { as, headers: { ...headers } });
    const groups = await impersonated({ 'impersonate-user': 'alice', 'impersonate-group': ['system:masters'] });
    assert.equal(groups.status, 200);
    assert.deepEqual(groups.json['user'], {
      name: 'alice',
      uid: '',
      groups: ['system:masters', 'system:authenticated'],
      extra: {},
    });
    const odd = await impersonated({
      'impersonate-user': 'alice',
      'impersonate-group': 'system:masters',
      'impersonate-extra-constructor': ['a', 'b'],
      'impersonate-extra-__proto__': 'c',
    });
    assert.equal(odd.status, 200);
    assert.match(odd.text.replace(/\s/g, ''), /"extra":\{"constructor":\["a","b"\],"__proto__":\["c"\]\}/);
    const alone = await impersonated({ 'impersonate-group': 'g1' });
    assert.equal(alone.status, 400);
    assert.equal(
      alone.json['message'],
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g1"}, Extra:map[string][]string(nil)} without impersonating a user name',
    );
    const refused = await call(target, '/apis/g/v1/things', {
      as: servers.certificates.bob,
      headers: { 'impersonate-user': 'alice' },
    });
    assert.match(String(refused.json['message']), /cannot impersonate-on:user-info:list resource "things"/);
  });

  it('converts errors of handlers into responses', async () => {
    const target = await servers.start({}, installEcho);
    const as = servers.certificates.admin;
    const thrown = await call(target, '/throws', { as });
    assert.equal(thrown.status, 500);
    assert.equal(thrown.text, 'This request caused apiserver to panic. Look in the logs for details.\n');
    assert.match(target.logs.join(''), /boom/);
    assert.equal((await call(target, '/status', { as })).json['message'], 'deployments.apps "x" not found');
    const warned = await call(target, '/warns', { as });
    assert.equal(
      Buffer.from(String(warned.headers['warning']), 'latin1').toString(),
      '299 - "do not \\"do\\" that", 299 - "größer"',
    );
  });

  it('ends requests that take too long', async () => {
    const target = await servers.start({}, installEcho);
    const as = servers.certificates.admin;
    const slow = await call(target, '/slow?timeout=50ms', { as });
    assert.equal(slow.status, 504);
    assert.equal(
      slow.text,
      '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
    );
    assert.equal(slow.headers['content-type'], 'text/plain; charset=utf-8', 'clients do not take it for a Status');
    assert.equal((await call(target, '/slow?timeout=1us', { as })).status, 504);
    const bad = await call(target, '/slow?timeout=abc', { as });
    assert.equal(bad.status, 400);
    assert.equal(bad.json['message'], 'invalid timeout specified in the request URL - time: invalid duration "abc"');
  });

  it('limits concurrent requests, except those of system:masters', async () => {
    const target = await servers.start(
      {
        authorizer: alwaysAllow,
        limits: { ...defaultLimits, maxRequestsInFlight: 1 },
      },
      installEcho,
    );
    const occupying = await occupy(target, servers.certificates.bob);
    const dropped = await call(target, '/whoami', { as: servers.certificates.bob });
    assert.equal(dropped.status, 429);
    assert.equal(dropped.headers['retry-after'], '1');
    assert.equal(dropped.text, 'Too many requests, please try again later.\n');
    assert.equal((await call(target, '/whoami', { as: servers.certificates.admin })).status, 200);
    await occupying.release();
  });
});
