import assert from 'node:assert/strict';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AuthorizationAttributes } from '@apichain/authz';
import { AuthenticationUnavailableError, bearerToken, type UserInfo } from '@apichain/authn';
import { newForbidden } from '@apichain/meta';
import type { RequestRecord } from '@apichain/request';
import fc from 'fast-check';
import type { Assets } from './assets.ts';
import { ConsoleServer } from './console-server.ts';
import type { Identity } from './identity.ts';
import { RecentRequests } from './recent-requests.ts';
import { isInSession, SessionAuthenticator } from './session-authenticator.ts';
import { Sessions } from './sessions.ts';

const user = (name: string): UserInfo => ({ name, uid: '', groups: ['system:authenticated'], extra: {} });

/** The identity of a user whose token is the name. */
const identity = (name: string, more: Partial<Identity> = {}): Identity => ({
  owner: { user: user(name), credential: { token: name } },
  user: user(name),
  impersonation: [],
  expiresAt: undefined,
  ...more,
});

const page = { type: 'text/html; charset=utf-8', bytes: Buffer.from('<p>'), compressed: Buffer.from('c'), tag: '"t"' };
const assets: Assets = new Map([['index.html', page]]);

const record = (name: string, uri: string, code = 200): RequestRecord => ({
  auditID: uri,
  receivedAt: 0,
  milliseconds: 1,
  user: name,
  userAgent: 'test',
  verb: 'get',
  method: 'GET',
  uri,
  code,
  answeredBy: 'aggregator',
  services: [],
});

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('the console server', () => {
  let now = 0;
  let sessions: Sessions;
  let requests: RecentRequests;
  let server: ConsoleServer;
  let authenticator: SessionAuthenticator;
  /** The tokens that are no longer valid. */
  let revoked: Set<string>;
  /** When tokens expire. */
  let expiry: number | undefined;
  /** What the API does with a request. */
  let serve: (response: ServerResponse) => void;
  let origin = '';
  /** What the API got. */
  let received: IncomingHttpHeaders | undefined;

  beforeEach(async () => {
    now = 1_000;
    received = undefined;
    revoked = new Set();
    expiry = undefined;
    serve = (response) => response.end('the API');
    sessions = new Sessions({ codeMs: 100, sessionMs: 1_000, sessionsOfUser: 2, maxSessions: 4 }, () => now);
    const userOf = (token: string) => {
      if (token === 'later') throw new AuthenticationUnavailableError('the webhook does not respond');
      if (token === 'expired' || revoked.has(token)) throw new Error('the token is not valid');
      return ['admin', 'jane', 'bob', 'eve'].includes(token) ? user(token) : undefined;
    };
    const tokens = {
      authenticateToken: (token: string) => {
        const found = userOf(token);
        return found && { user: found, ...(expiry === undefined ? {} : { expiresAt: expiry }) };
      },
    };
    const others = { authenticate: (request: IncomingMessage) => userOf(bearerToken(request) ?? '') };
    authenticator = new SessionAuthenticator(sessions, others, tokens);
    requests = new RecentRequests(3);
    server = new ConsoleServer({
      port: 0,
      assets,
      sessions,
      api: {
        messages: {},
        serve: (request, response) => {
          received = request.headers;
          serve(response);
        },
      },
      authenticator,
      impersonate: ({ headers }, { user: owner }) => {
        const { 'impersonate-user': wanted } = headers;
        if (typeof wanted !== 'string') return Promise.resolve(owner);
        if (owner.name === 'admin') return Promise.resolve(user(wanted));
        return Promise.reject(newForbidden({ group: '', resource: 'users' }, wanted, 'nobody is impersonated'));
      },
      authorizer: {
        authorize: ({ user: asked, path }: AuthorizationAttributes) => ({
          decision: asked.name === 'admin' && path === '/console/requests' ? 'Allow' : 'NoOpinion',
          reason: '',
        }),
      },
      requests,
    });
    await server.listen();
    origin = server.url.slice(0, -1);
  });
  afterEach(() => server.close());

  async function ask(path: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Received> {
    const { promise, resolve, reject } = Promise.withResolvers<Received>();
    const outgoing = http.request(`${origin}${path}`, { method, headers, agent: false }, (response) => {
      const { statusCode: status = 0, headers: got } = response;
      text(response).then((read) => resolve({ status, headers: got, body: read }), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  }

  const logIn = (credential: object) => ask('/console/session', { origin }, 'POST', JSON.stringify(credential));

  /** The headers of a page that has logged in. */
  async function session(name: string): Promise<Record<string, string>> {
    const { headers, body } = await logIn({ code: sessions.invite(identity(name)).code });
    const { proof } = JSON.parse(body) as { proof: string };
    return { origin, 'x-console-proof': proof, cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '' };
  }

  it('serves the page with a policy that allows no inline script, no other origin and no frame', async () => {
    const { status, headers } = await ask('/');
    assert.equal(status, 200);
    const policy = headers['content-security-policy'] ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      assert.ok(String(policy).includes(part), part);
    assert.doesNotMatch(String(policy), /unsafe|\*|https?:/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  });

  it('compresses the page for browsers, and answers 304 when they have it', async () => {
    const compressed = await ask('/', { 'accept-encoding': 'gzip, br' });
    assert.equal(compressed.headers['content-encoding'], 'br');
    assert.equal((await ask('/', { 'if-none-match': '"t"' })).status, 304);
    assert.equal((await ask('/', { origin }, 'POST')).status, 405);
  });

  it('answers requests whose headers and targets have any bytes', async () => {
    const { cookie = '', 'x-console-proof': proof = '' } = await session('admin');
    const anyBytes = fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((byte) => byte !== 0x7f)
        .map((byte) => String.fromCharCode(byte)),
    });
    // One character of UTF-16 for one of the proof, but more bytes in UTF-8.
    const nearProof = fc.nat(proof.length - 1).map((at) => `${proof.slice(0, at)}\xe4${proof.slice(at + 1)}`);
    const headers = fc.record({
      cookie: fc.oneof(fc.constant(cookie), anyBytes),
      'x-console-proof': fc.oneof(nearProof, anyBytes),
    });
    const paths = ['/api', '/console/session', '/console/requests', '/console/watches?path=%', '/%', '//'];
    const path = fc.constantFrom(...paths, '/console/%ff?%');
    await fc.assert(
      fc.asyncProperty(
        path,
        headers,
        fc.constantFrom('GET', 'POST', 'DELETE'),
        anyBytes,
        async (at, more, method, body) => {
          const { status } = await ask(at, { origin, ...more }, method, method === 'POST' ? body : '');
          assert.ok(status >= 400 && status < 500, `${status}`);
        },
      ),
      { numRuns: 200, examples: [['/api', { cookie, 'x-console-proof': proof.replace(/.$/, '\xe4') }, 'GET', '']] },
    );
    assert.equal(received, undefined);
  });

  it('refuses a host name that is rebound to this machine', async () => {
    for (const host of ['attacker.example', `attacker.example:80`, '127.0.0.1', '127.0.0.1:1']) {
      const { status, body } = await ask('/', { host });
      assert.equal(status, 403, host);
      assert.match(body, /Host/);
    }
    assert.equal((await ask('/', { host: `localhost:${new URL(origin).port}` })).status, 200);
  });

  it('refuses requests of other origins, and writes without an origin', async () => {
    const headers = await session('admin');
    const { origin: own = '', ...withoutOrigin } = headers;
    for (const other of ['http://attacker.example', 'http://127.0.0.1:1', 'null', own.replace('http:', 'https:')])
      assert.equal((await ask('/api', { ...headers, origin: other })).status, 403, other);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await ask('/api', withoutOrigin, method)).status, 403, method);
    for (const site of ['cross-site', 'same-site'])
      assert.equal((await ask('/api', { ...headers, 'sec-fetch-site': site })).status, 403, site);
    assert.equal(received, undefined);
    assert.equal((await ask('/api', { ...headers, 'sec-fetch-site': 'same-origin' })).status, 200);
  });

  it('allows a link from elsewhere to the page', async () => {
    assert.equal((await ask('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status, 200);
  });

  it('exchanges a code once', async () => {
    const { code } = sessions.invite(identity('admin'));
    const first = await logIn({ code });
    assert.equal(first.status, 200);
    assert.match(
      first.headers['set-cookie']?.[0] ?? '',
      /^apichain-console-\d+=[\w-]+; HttpOnly; SameSite=Strict; Path=\/$/,
    );
    assert.equal((JSON.parse(first.body) as { user: { name: string } }).user.name, 'admin');
    assert.equal((await logIn({ code })).status, 401);
  });

  it('refuses a code that has expired, was never given, or is something else', async () => {
    const { code } = sessions.invite(identity('admin'));
    now += 100;
    assert.equal((await logIn({ code })).status, 401);
    assert.equal((await logIn({ code: 'guessed' })).status, 401);
    for (const body of ['', '[', '"code"', 'null', JSON.stringify({ code: 1 })]) {
      const { status } = await ask('/console/session', { origin }, 'POST', body);
      assert.ok(status === 400 || status === 401, `${body}: ${status}`);
    }
    assert.equal((await ask('/console/session', { origin }, 'POST', ' '.repeat(70_000))).status, 400);
  });

  it('needs both halves of a session', async () => {
    const { cookie = '', 'x-console-proof': proof = '' } = await session('admin');
    const other = await session('jane');
    assert.equal((await ask('/api', { cookie })).status, 401);
    assert.equal((await ask('/api', { 'x-console-proof': proof })).status, 401);
    assert.equal((await ask('/api', { cookie, 'x-console-proof': other['x-console-proof'] ?? '' })).status, 401);
    assert.equal(received, undefined);
    assert.equal((await ask('/api', { cookie, 'x-console-proof': proof })).status, 200);
  });

  it('gives requests the identity of the session and no other', async () => {
    const headers = await session('admin');
    await ask('/api/v1/pods', {
      ...headers,
      authorization: 'Bearer stolen',
      'impersonate-user': 'root',
      'x-remote-user': 'root',
      accept: 'application/yaml',
    });
    const { authorization = '', accept, cookie, 'impersonate-user': as, 'x-remote-user': remote } = received ?? {};
    assert.deepEqual([accept, cookie, as, remote], ['application/yaml', undefined, undefined, undefined]);
    const request = Object.assign(new http.IncomingMessage(new Socket()), { headers: { authorization } });
    assert.equal((await authenticator.authenticate(request))?.name, 'admin');
    assert.equal(isInSession(request), true);
    const stolen = Object.assign(new http.IncomingMessage(new Socket()), {
      headers: { authorization: 'Bearer stolen' },
    });
    assert.equal(await authenticator.authenticate(stolen), undefined);
    assert.equal(isInSession(stolen), false);
  });

  it('isolates responses of the API, which may be pages of others', async () => {
    const { headers } = await ask('/api', await session('admin'));
    assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'; sandbox");
  });

  /** Who a request is of for the API that received it. */
  async function receivedFrom(): Promise<string | undefined> {
    const { authorization } = received ?? {};
    const request = Object.assign(new http.IncomingMessage(new Socket()), { headers: { authorization } });
    return (await authenticator.authenticate(request))?.name;
  }

  /** The headers of a page that logged in with this response. */
  const pageOf = ({ headers, body }: Received): Record<string, string> => ({
    origin,
    cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '',
    'x-console-proof': (JSON.parse(body) as { proof: string }).proof,
  });

  it('logs in with a token, which is checked again with each request', async () => {
    const response = await logIn({ token: 'jane' });
    assert.equal(response.status, 200);
    assert.doesNotMatch(response.body, /"token"|Bearer/);
    assert.equal((await ask('/api', pageOf(response))).status, 200);
    assert.equal(await receivedFrom(), 'jane');
    revoked.add('jane');
    await assert.rejects(receivedFrom(), /the token is not valid/);
    assert.equal((await ask('/api', pageOf(response))).status, 401);
    revoked.clear();
    assert.equal((await ask('/api', pageOf(response))).status, 401);
    assert.equal((await logIn({ token: 'later' })).status, 503);
    for (const token of ['wrong', 'expired', '', 'a b', 'a\r\nx: y'])
      assert.equal((await logIn({ token })).status, 401, token);
  });

  it('ends a session with the token that began it, and says so before', async () => {
    expiry = now + 300;
    const response = await logIn({ token: 'jane' });
    assert.equal((JSON.parse(response.body) as { expiresAt: number }).expiresAt, expiry);
    now += 299;
    assert.equal((await ask('/api', pageOf(response))).status, 200);
    now += 1;
    assert.equal((await ask('/api', pageOf(response))).status, 401);
    const { expiresAt } = sessions.invite(identity('jane', { expiresAt: now + 50 }));
    assert.equal(expiresAt, now + 50);
  });

  it('ends open responses with their session', async () => {
    serve = (response) => response.writeHead(200).write('an event');
    const watching = async (name: string) => {
      const headers = await session(name);
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      http.get(`${origin}/api/v1/pods?watch=1`, { headers, agent: false }, resolve).on('error', reject);
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
    revoked.add('jane');
    await server.recheck();
    assert.equal(await revokedWatch.ended, 'aborted');
    assert.equal((await ask('/console/session', endedWatch.headers, 'DELETE')).status, 204);
    assert.equal(await endedWatch.ended, 'aborted');
    now += 1_000;
    await server.recheck();
    assert.equal(await expiredWatch.ended, 'aborted');
  });

  it('sends each of several joined watches as a request of the session', async () => {
    serve = (response) => response.end('{"type":"BOOKMARK"}\n');
    const path = '/console/watches?path=/api/v1/pods%3Fwatch%3D1&path=/api/v1/nodes%3Fwatch%3D1';
    assert.equal((await ask(path)).status, 401);
    const { body } = await ask(path, await session('jane'));
    for (const watch of [0, 1]) assert.match(body, new RegExp(`"watch":${watch},"event":{"type":"BOOKMARK"}`));
    assert.equal(await receivedFrom(), 'jane');
    assert.deepEqual([received?.cookie, received?.['user-agent']], [undefined, 'apichain-console']);
  });

  it('keeps a session whose credential cannot be checked now', async () => {
    const waiting = sessions.begin(identity('later'));
    await assert.rejects(authenticator.ownerOf(waiting), /the webhook does not respond/);
    assert.equal(waiting.ended.aborted, false);
    assert.equal(sessions.find(waiting.id, waiting.proof), waiting);
  });

  it('carries who is impersonated with each request, and tells who impersonates', async () => {
    const headers = ['Impersonate-User', 'jane', 'Impersonate-Group', 'a', 'impersonate-group', 'b'];
    const impersonating = (owner: string) =>
      logIn({ code: sessions.invite(identity(owner, { user: user('jane'), impersonation: headers })).code });
    const response = await impersonating('admin');
    const { user: shown, impersonator } = JSON.parse(response.body) as { user: UserInfo; impersonator: string };
    assert.deepEqual([shown.name, impersonator], ['jane', 'admin']);
    await ask('/api', { ...pageOf(response), 'impersonate-user': 'root', 'Impersonate-Extra-x': 'y' });
    assert.equal(await receivedFrom(), 'admin');
    const sent = Object.entries(received ?? {}).filter(([name]) => name.startsWith('impersonate-'));
    assert.deepEqual(Object.fromEntries(sent), { 'impersonate-user': 'jane', 'impersonate-group': 'a, b' });

    for (const name of ['jane', 'admin']) requests.add(record(name, `/of-${name}`));
    const { body } = await ask('/console/requests', pageOf(response));
    const { items } = JSON.parse(body) as { items: readonly RequestRecord[] };
    assert.deepEqual(
      items.map(({ uri }) => uri),
      ['/of-jane'],
    );
    // The right to impersonate is checked again.
    const refused = await ask('/console/requests', pageOf(await impersonating('bob')));
    assert.equal(refused.status, 403);
    assert.match(refused.body, /nobody is impersonated/);
  });

  it('ends sessions on log out, after their time, and when the user has too many', async () => {
    const first = await session('admin');
    const second = await session('admin');
    assert.equal((await ask('/console/session', second, 'DELETE')).status, 204);
    assert.equal((await ask('/api', second)).status, 401);
    assert.equal((await ask('/api', first)).status, 200);
    await session('admin');
    await session('admin');
    assert.equal((await ask('/api', first)).status, 401);
    const last = await session('admin');
    now += 1_000;
    assert.equal((await ask('/api', last)).status, 401);
  });

  it('lets no user end the sessions of another', async () => {
    const pages = { jane: await session('jane'), bob: await session('bob') };
    for (let i = 0; i < 5; i++) await session('admin');
    for (const [name, headers] of Object.entries(pages)) assert.equal((await ask('/api', headers)).status, 200, name);
    // Four sessions are as many as all users may have.
    const { status, body } = await logIn({ code: sessions.invite(identity('eve')).code });
    assert.equal(status, 503);
    assert.match(body, /too many sessions/);
    assert.equal((await logIn({ token: 'eve' })).status, 503);
    await ask('/console/session', pages.bob, 'DELETE');
    assert.equal((await ask('/api', await session('eve'))).status, 200);
  });

  it('shows the requests of others only to those who may get /console/requests', async () => {
    for (const [name, uri] of [
      ['jane', '/1'],
      ['admin', '/2'],
      ['jane', '/3'],
    ] as const)
      requests.add(record(name, uri));
    const seen = async (name: string) => {
      const { body } = await ask('/console/requests', await session(name));
      const { isAll, items } = JSON.parse(body) as { isAll: boolean; items: readonly RequestRecord[] };
      return [isAll, ...items.map(({ uri }) => uri)];
    };
    assert.deepEqual(await seen('admin'), [true, '/3', '/2', '/1']);
    assert.deepEqual(await seen('jane'), [false, '/3', '/1']);
    assert.equal((await ask('/console/requests')).status, 401);
    assert.equal((await ask('/console/other', await session('admin'))).status, 404);
  });

  it('keeps a bounded number of records, without probes', async () => {
    for (let i = 0; i < 20; i++) requests.add(record('jane', `/${i}`));
    requests.add(record('admin', '/livez?verbose'));
    requests.add(record('admin', '/readyz', 500));
    assert.deepEqual(
      requests.list().map(({ uri }) => uri),
      ['/readyz', '/19', '/18'],
    );
  });
});
