import assert from 'node:assert/strict';
import http, { type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { UserInfo } from '@apichain/authn';
import type { RequestRecord } from '@apichain/request';
import { identity, record, TestConsole, user } from './console.fixture.ts';
import { isInSession } from './session-authenticator.ts';

describe('the sessions of a console', () => {
  let test: TestConsole;
  beforeEach(async () => {
    test = await TestConsole.start();
  });
  afterEach(() => test.close());

  it('exchanges a code once', async () => {
    const { code } = test.sessions.invite(identity('admin'));
    const first = await test.logIn({ code });
    assert.equal(first.status, 200);
    assert.match(
      first.headers['set-cookie']?.[0] ?? '',
      /^apichain-console-\d+=[\w-]+; HttpOnly; SameSite=Strict; Path=\/$/,
    );
    assert.equal((JSON.parse(first.body) as { user: { name: string } }).user.name, 'admin');
    assert.equal((await test.logIn({ code })).status, 401);
  });

  it('refuses a code that has expired, was never given, or is something else', async () => {
    const { code } = test.sessions.invite(identity('admin'));
    test.now += 100;
    assert.equal((await test.logIn({ code })).status, 401);
    assert.equal((await test.logIn({ code: 'guessed' })).status, 401);
    for (const body of ['', '[', '"code"', 'null', JSON.stringify({ code: 1 })]) {
      const { status } = await test.ask('/console/session', { origin: test.origin }, 'POST', body);
      assert.ok(status === 400 || status === 401, `${body}: ${status}`);
    }
    assert.equal((await test.ask('/console/session', { origin: test.origin }, 'POST', ' '.repeat(70_000))).status, 400);
  });

  it('needs both halves of a session', async () => {
    const { cookie = '', 'x-console-proof': proof = '' } = await test.session('admin');
    const other = await test.session('jane');
    assert.equal((await test.ask('/api', { cookie })).status, 401);
    assert.equal((await test.ask('/api', { 'x-console-proof': proof })).status, 401);
    assert.equal((await test.ask('/api', { cookie, 'x-console-proof': other['x-console-proof'] ?? '' })).status, 401);
    assert.equal(test.received, undefined);
    assert.equal((await test.ask('/api', { cookie, 'x-console-proof': proof })).status, 200);
  });

  it('gives requests the identity of the session and no other', async () => {
    const headers = await test.session('admin');
    await test.ask('/api/v1/pods', {
      ...headers,
      authorization: 'Bearer stolen',
      'impersonate-user': 'root',
      'x-remote-user': 'root',
      accept: 'application/yaml',
    });
    const { authorization = '', accept, cookie, 'impersonate-user': as, 'x-remote-user': remote } = test.received ?? {};
    assert.deepEqual([accept, cookie, as, remote], ['application/yaml', undefined, undefined, undefined]);
    const request = Object.assign(new http.IncomingMessage(new Socket()), { headers: { authorization } });
    assert.equal((await test.authenticator.authenticate(request))?.name, 'admin');
    assert.equal(isInSession(request), true);
    const stolen = Object.assign(new http.IncomingMessage(new Socket()), {
      headers: { authorization: 'Bearer stolen' },
    });
    assert.equal(await test.authenticator.authenticate(stolen), undefined);
    assert.equal(isInSession(stolen), false);
  });

  it('logs in with a token, which is checked again with each request', async () => {
    const response = await test.logIn({ token: 'jane' });
    assert.equal(response.status, 200);
    assert.doesNotMatch(response.body, /"token"|Bearer/);
    assert.equal((await test.ask('/api', test.pageOf(response))).status, 200);
    assert.equal(await test.receivedFrom(), 'jane');
    test.revoked.add('jane');
    await assert.rejects(test.receivedFrom(), /the token is not valid/);
    assert.equal((await test.ask('/api', test.pageOf(response))).status, 401);
    test.revoked.clear();
    assert.equal((await test.ask('/api', test.pageOf(response))).status, 401);
    assert.equal((await test.logIn({ token: 'later' })).status, 503);
    for (const token of ['wrong', 'expired', '', 'a b', 'a\r\nx: y'])
      assert.equal((await test.logIn({ token })).status, 401, token);
  });

  it('ends a session with the token that began it, and says so before', async () => {
    test.expiry = test.now + 300;
    const response = await test.logIn({ token: 'jane' });
    assert.equal((JSON.parse(response.body) as { expiresAt: number }).expiresAt, test.expiry);
    test.now += 299;
    assert.equal((await test.ask('/api', test.pageOf(response))).status, 200);
    test.now += 1;
    assert.equal((await test.ask('/api', test.pageOf(response))).status, 401);
    const { expiresAt } = test.sessions.invite(identity('jane', { expiresAt: test.now + 50 }));
    assert.equal(expiresAt, test.now + 50);
  });

  it('ends open responses with their session', async () => {
    test.serve = (response) => response.writeHead(200).write('an event');
    const watching = async (name: string) => {
      const headers = await test.session(name);
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      http.get(`${test.origin}/api/v1/pods?watch=1`, { headers, agent: false }, resolve).on('error', reject);
      const response = await promise;
      return {
        headers,
        ended: text(response).then(
          () => 'complete',
          (error: Error) => error.message,
        ),
      };
    };
    const revokedWatch = await watching('jane');
    const endedWatch = await watching('bob');
    const expiredWatch = await watching('admin');
    test.revoked.add('jane');
    await test.server.recheck();
    assert.equal(await revokedWatch.ended, 'aborted');
    assert.equal((await test.ask('/console/session', endedWatch.headers, 'DELETE')).status, 204);
    assert.equal(await endedWatch.ended, 'aborted');
    test.now += 1_000;
    await test.server.recheck();
    assert.equal(await expiredWatch.ended, 'aborted');
  });

  it('keeps a session whose credential cannot be checked now', async () => {
    const waiting = test.sessions.begin(identity('later'));
    await assert.rejects(test.authenticator.ownerOf(waiting), /the webhook does not respond/);
    assert.equal(waiting.ended.aborted, false);
    assert.equal(test.sessions.find(waiting.id, waiting.proof), waiting);
  });

  it('carries who is impersonated with each request, and tells who impersonates', async () => {
    const headers = ['Impersonate-User', 'jane', 'Impersonate-Group', 'a', 'impersonate-group', 'b'];
    const impersonating = (owner: string) =>
      test.logIn({ code: test.sessions.invite(identity(owner, { user: user('jane'), impersonation: headers })).code });
    const response = await impersonating('admin');
    const { user: shown, impersonator } = JSON.parse(response.body) as { user: UserInfo; impersonator: string };
    assert.deepEqual([shown.name, impersonator], ['jane', 'admin']);
    await test.ask('/api', { ...test.pageOf(response), 'impersonate-user': 'root', 'Impersonate-Extra-x': 'y' });
    assert.equal(await test.receivedFrom(), 'admin');
    const sent = Object.entries(test.received ?? {}).filter(([name]) => name.startsWith('impersonate-'));
    assert.deepEqual(Object.fromEntries(sent), { 'impersonate-user': 'jane', 'impersonate-group': 'a, b' });

    for (const name of ['jane', 'admin']) test.requests.add(record(name, `/of-${name}`));
    const { body } = await test.ask('/console/requests', test.pageOf(response));
    const { items } = JSON.parse(body) as { items: readonly RequestRecord[] };
    assert.deepEqual(
      items.map(({ uri }) => uri),
      ['/of-jane'],
    );
    // The right to impersonate is checked again.
    const refused = await test.ask('/console/requests', test.pageOf(await impersonating('bob')));
    assert.equal(refused.status, 403);
    assert.match(refused.body, /nobody is impersonated/);
  });

  it('ends sessions on log out, after their time, and when the user has too many', async () => {
    const first = await test.session('admin');
    const second = await test.session('admin');
    assert.equal((await test.ask('/console/session', second, 'DELETE')).status, 204);
    assert.equal((await test.ask('/api', second)).status, 401);
    assert.equal((await test.ask('/api', first)).status, 200);
    await test.session('admin');
    await test.session('admin');
    assert.equal((await test.ask('/api', first)).status, 401);
    const last = await test.session('admin');
    test.now += 1_000;
    assert.equal((await test.ask('/api', last)).status, 401);
  });

  it('lets no user end the sessions of another', async () => {
    const pages = { jane: await test.session('jane'), bob: await test.session('bob') };
    for (let i = 0; i < 5; i++) await test.session('admin');
    for (const [name, headers] of Object.entries(pages))
      assert.equal((await test.ask('/api', headers)).status, 200, name);
    // Four sessions are as many as all users may have.
    const { status, body } = await test.logIn({ code: test.sessions.invite(identity('eve')).code });
    assert.equal(status, 503);
    assert.match(body, /too many sessions/);
    assert.equal((await test.logIn({ token: 'eve' })).status, 503);
    await test.ask('/console/session', pages.bob, 'DELETE');
    assert.equal((await test.ask('/api', await test.session('eve'))).status, 200);
  });
});
