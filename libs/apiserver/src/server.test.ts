import assert from 'node:assert/strict';
import http2 from 'node:http2';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { newNotFound } from '@apichain/meta';
import { HttpDelegationTarget } from './delegation/http.ts';
import { InProcessDelegationTarget } from './delegation/in-process.ts';
import { takeUpgrade } from './request-scope.ts';
import { writeRawJson } from './responses.ts';
import {
  call,
  createTestCertificates,
  createTestServer,
  startTestServer,
  type TestCertificates,
  type TestServer,
} from './server.fixture.ts';
import { defaultLimits } from './server-config.ts';
import type { GenericApiServer } from './server.ts';

let certificates: TestCertificates;
const running: TestServer[] = [];

before(async () => {
  certificates = await createTestCertificates();
});

afterEach(async () => {
  for (const { server } of running.splice(0)) await server.shutdown();
});

async function start(...rest: Parameters<typeof startTestServer> extends [unknown, ...infer R] ? R : never) {
  const target = await startTestServer(certificates, ...rest);
  running.push(target);
  return target;
}

/** Paths that tell what the handler saw. */
function installEcho(server: GenericApiServer): void {
  server.paths.handle('/whoami', (context, request, response) =>
    writeRawJson(response, 200, { user: context.user, authorization: request.headers.authorization ?? null }),
  );
  server.paths.handle('/throws', () => Promise.reject(new Error('boom')));
  server.paths.handle('/status', () => Promise.reject(newNotFound({ group: 'apps', resource: 'deployments' }, 'x')));
  server.paths.handle('/slow', async (context) => {
    await new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
    });
  });
  server.paths.handle('/warns', (context, _request, response) => {
    context.warn('do not "do" that');
    context.warn('do not "do" that');
    context.warn('größer');
    response.end(Buffer.from('ok'));
  });
  server.paths.handlePrefix('/echo/', (_context, request, response) => {
    request.pipe(response);
  });
}

describe('GenericApiServer', () => {
  it('serves health, version and the index', async () => {
    const target = await start();
    const health = await call(target, '/readyz');
    assert.equal(health.status, 200);
    assert.equal(health.text, 'ok');
    assert.equal(health.headers['x-content-type-options'], 'nosniff');
    assert.ok(health.headers['audit-id']);
    assert.equal(health.headers['cache-control'], 'no-cache, private');
    const verbose = await call(target, '/readyz?verbose&exclude=log&exclude=nope');
    assert.equal(
      verbose.text,
      '[+]ping ok\n[+]log excluded: ok\n[+]shutdown ok\n' +
        'warn: some health checks cannot be excluded: no matches for "nope"\nreadyz check passed\n',
    );
    assert.equal((await call(target, '/healthz/ping', { as: certificates.admin })).text, 'ok');
    assert.equal((await call(target, '/healthz/none', { as: certificates.admin })).text, '404 page not found\n');
    const version = await call(target, '/version');
    assert.equal(version.json['minor'], '36');
    const index = await call(target, '/', { as: certificates.admin });
    assert.ok((index.json['paths'] as string[]).includes('/livez/ping'));
    assert.match((await call(target, '/metrics', { as: certificates.admin })).text, /apiserver_request_total\{/);
  });

  it('tells failing checks without their reason', async () => {
    const target = await start({}, (server) =>
      server.health.add({ name: 'etcd', group: 'storage', check: () => Promise.reject(new Error('down')) }),
    );
    const failed = await call(target, '/livez');
    assert.equal(failed.status, 500);
    assert.equal(failed.text, '[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\nlivez check failed\n');
    assert.equal((await call(target, '/livez?exclude=storage')).status, 200);
    assert.equal((await call(target, '/livez/etcd', { as: certificates.admin })).text, 'internal server error: down\n');
  });

  it('authenticates certificates, tokens, front proxies and nobody', async () => {
    const target = await start({ authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) } }, installEcho);
    const who = async (options: Parameters<typeof call>[2]) => {
      const answer = await call(target, '/whoami', options);
      return answer.status === 200 ? (answer.json['user'] as { name: string; groups: string[] }) : answer.status;
    };
    assert.deepEqual(await who({ as: certificates.bob }), {
      name: 'bob',
      uid: '',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: (await call(target, '/whoami', { as: certificates.bob })).json['user']!['extra' as never],
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
    assert.deepEqual(await who({ as: certificates.frontProxy, headers: proxied }), {
      name: 'dave',
      uid: '7',
      groups: ['a', 'b,c', 'system:authenticated'],
      extra: { 'example.com/scopes': ['view'] },
    });
    assert.equal(((await who({ as: certificates.bob, headers: proxied })) as { name: string }).name, 'bob');
    assert.equal(await who({ as: certificates.frontProxy }), 401);
  });

  it('refuses with the messages of kube-apiserver', async () => {
    const target = await start();
    const bob = await call(target, '/api/v1/namespaces/n/pods/p/log', { as: certificates.bob });
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

  it('impersonates for those who may', async () => {
    const target = await start({}, installEcho);
    const as = certificates.admin;
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
    const alone = await impersonated({ 'impersonate-group': 'g1' });
    assert.equal(alone.status, 400);
    assert.equal(
      alone.json['message'],
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g1"}, Extra:map[string][]string(nil)} without impersonating a user name',
    );
    const refused = await call(target, '/apis/g/v1/things', {
      as: certificates.bob,
      headers: { 'impersonate-user': 'alice' },
    });
    assert.match(String(refused.json['message']), /cannot impersonate-on:user-info:list resource "things"/);
  });

  it('turns what handlers throw into answers', async () => {
    const target = await start({}, installEcho);
    const as = certificates.admin;
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
    const target = await start({}, installEcho);
    const as = certificates.admin;
    const slow = await call(target, '/slow?timeout=50ms', { as });
    assert.equal(slow.status, 504);
    assert.equal(slow.json['message'], 'Timeout: request did not complete within the allotted timeout');
    assert.deepEqual(slow.json['details'], {});
    const bad = await call(target, '/slow?timeout=abc', { as });
    assert.equal(bad.status, 400);
    assert.equal(bad.json['message'], 'invalid timeout specified in the request URL - time: invalid duration "abc"');
  });

  it('limits how many requests run at once, but not those of system:masters', async () => {
    const target = await start(
      {
        authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
        limits: { ...defaultLimits, maxRequestsInFlight: 1 },
      },
      installEcho,
    );
    const occupying = call(target, '/slow?timeout=500ms', { as: certificates.bob });
    await delay(100);
    const dropped = await call(target, '/whoami', { as: certificates.bob });
    assert.equal(dropped.status, 429);
    assert.equal(dropped.headers['retry-after'], '1');
    assert.equal(dropped.text, 'Too many requests, please try again later.\n');
    assert.equal((await call(target, '/whoami', { as: certificates.admin })).status, 200);
    await occupying;
  });

  it('speaks HTTP/2 on the same port', async () => {
    const target = await start({}, installEcho);
    const { certificate: cert, key } = certificates.admin;
    const session = http2.connect(target.url, { cert, key, rejectUnauthorized: false });
    const get = (headers: http2.OutgoingHttpHeaders, body?: string) =>
      new Promise<{ status: unknown; text: string }>((resolve, reject) => {
        const stream = session.request(headers);
        let status: unknown;
        let text = '';
        stream.on('response', (answer) => (status = answer[':status']));
        stream.setEncoding('utf8');
        stream.on('data', (chunk: string) => (text += chunk));
        stream.on('end', () => resolve({ status, text }));
        stream.on('error', reject);
        stream.end(body);
      });
    const answers = await Promise.all([
      get({ ':path': '/whoami' }),
      get({ ':path': '/version' }),
      get({ ':path': '/nope' }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 404],
    );
    assert.match(answers[0].text, /"name": "admin"/);
    assert.deepEqual(await get({ ':path': '/echo/x', ':method': 'POST' }, 'hello'), { status: 200, text: 'hello' });
    assert.match((await get({ ':path': '/throws' })).text, /panic/);
    session.close();
  });

  it('survives broken clients', async () => {
    const target = await start();
    const garbage = tls.connect({ host: '127.0.0.1', port: target.port, rejectUnauthorized: false });
    garbage.on('error', () => undefined);
    garbage.write('NOT HTTP\r\n\r\n');
    const text = await new Promise<string>((resolve) => garbage.on('data', (chunk) => resolve(String(chunk))));
    assert.match(text, /^HTTP\/1.1 400 Bad Request/);
    const plain = net.connect(target.port, '127.0.0.1');
    plain.on('error', () => undefined);
    plain.write('GET / HTTP/1.1\r\n\r\n');
    await new Promise((resolve) => plain.on('close', resolve));
    const broken = await call(target, '/%zz', { as: certificates.admin });
    assert.equal(broken.status, 400);
    assert.equal(broken.text, '400 Bad Request');
    assert.equal((await call(target, '/livez')).status, 200);
  });

  it('hides unknown paths until all are installed', async () => {
    let release = () => undefined as void;
    const target = await start({}, (server) => {
      release = server.holdUnknownPaths();
    });
    const early = await call(target, '/nope', { as: certificates.admin });
    assert.equal(early.status, 503);
    assert.equal(early.headers['retry-after'], '5');
    assert.match(String(early.json['message']), /before all known HTTP paths/);
    release();
    assert.equal((await call(target, '/nope', { as: certificates.admin })).status, 404);
  });

  it('words unknown paths as the router that would have had them', async () => {
    const target = await start();
    const below = await call(target, '/version/x', { as: certificates.admin });
    assert.equal(below.json['message'], 'the server could not find the requested resource');
    const doubled = await call(target, '//api/v1/nodes', { as: certificates.admin });
    assert.equal(doubled.text, '404 page not found\n');
  });

  it('drains short requests and ends watches when it stops', async () => {
    const target = await start({}, (server) => {
      server.paths.handle('/short', async (_context, _request, response) => {
        await delay(200);
        response.end('done');
      });
      server.setGroupVersion(
        { group: 'g', version: 'v1' },
        {
          handle: async (context, _request, response) => {
            response.writeHead(200);
            response.write('first\n');
            await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
            response.end('last\n');
          },
        },
        [],
        { groupPriorityMinimum: 1, versionPriority: {} },
      );
    });
    const watch = call(target, '/apis/g/v1/things?watch=true', { as: certificates.admin });
    const short = call(target, '/short', { as: certificates.admin });
    await delay(100);
    const stopped = target.server.shutdown();
    assert.equal((await short).text, 'done');
    assert.equal((await watch).text, 'first\nlast\n');
    await stopped;
    await assert.rejects(call(target, '/livez'));
  });
});

describe('the chain', () => {
  const linkTo = (next: TestServer) =>
    new HttpDelegationTarget({
      url: next.url,
      ca: certificates.ca.certificate,
      clientCertificate: certificates.frontProxy.certificate,
      clientKey: certificates.frontProxy.key,
    });

  it('hands requests on over HTTP, with the identity and without asking twice', async () => {
    const next = await start({}, installEcho);
    const first = await start({
      authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
      delegate: linkTo(next),
    });
    const headers = { 'x-remote-user': 'mallory', 'x-remote-group': 'system:masters' };
    const seen = await call(first, '/whoami', { as: certificates.bob, headers });
    assert.equal(seen.status, 200);
    const user = seen.json['user'] as { name: string; groups: string[]; extra: Record<string, string[]> };
    assert.equal(user.name, 'bob');
    assert.deepEqual(user.groups, ['dev', 'ops', 'system:authenticated']);
    assert.match(user.extra['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^X509SHA256=/);
    assert.equal((await call(next, '/whoami', { as: certificates.bob })).status, 403);
    const missing = await call(first, '/nope', { as: certificates.bob });
    assert.equal(missing.status, 404);
    assert.equal(missing.text, '404 page not found\n');
    const big = 'x'.repeat(2_000_000);
    const echoed = await call(first, '/echo/a', { as: certificates.bob, method: 'POST', body: big });
    assert.equal(echoed.text.length, big.length);
  });

  it('answers 503 while the next server is away', async () => {
    const next = await startTestServer(certificates);
    const first = await start({ delegate: linkTo(next) });
    await next.server.shutdown();
    const answer = await call(first, '/apis/g/v1/things', { as: certificates.admin });
    assert.equal(answer.status, 503);
    assert.equal(answer.headers['retry-after'], '1');
    assert.equal(answer.json['reason'], 'ServiceUnavailable');
    assert.equal((await call(first, '/apis', { as: certificates.admin })).status, 200);
    assert.match((await call(first, '/readyz')).text, /\[-\]delegate failed: reason withheld/);
    assert.equal((await call(first, '/livez')).status, 200);
  });

  it('passes on that a client has gone', async () => {
    const arrived = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const next = await start({}, (server) =>
      server.paths.handle('/hang', async (context) => {
        context.signal.addEventListener('abort', () => ended.resolve());
        arrived.resolve();
        await ended.promise;
      }),
    );
    const first = await start({ delegate: linkTo(next) });
    const socket = tls.connect({
      host: '127.0.0.1',
      port: first.port,
      rejectUnauthorized: false,
      cert: certificates.admin.certificate,
      key: certificates.admin.key,
    });
    socket.write('GET /hang HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived.promise;
    socket.destroy();
    await ended.promise;
  });

  for (const kind of ['http', 'in-process'] as const) {
    it(`upgrades connections through the ${kind} link`, async () => {
      const upgrading = (server: GenericApiServer) =>
        server.paths.handle('/upgrade', (_context, request, response) => {
          const upgrade = takeUpgrade(request);
          if (upgrade === undefined) {
            response.end('no upgrade');
            return;
          }
          upgrade.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
          upgrade.socket.on('data', (chunk: Buffer) => upgrade.socket.end(`you said ${chunk.toString()}`));
        });
      let delegate;
      if (kind === 'http') delegate = linkTo(await start({}, upgrading));
      else {
        const next = createTestServer(certificates);
        upgrading(next.server);
        delegate = new InProcessDelegationTarget(next.server);
      }
      const first = await start({ delegate });
      const talk = (cert: { certificate: string; key: string } | undefined) =>
        new Promise<string>((resolve, reject) => {
          const socket = tls.connect({
            host: '127.0.0.1',
            port: first.port,
            rejectUnauthorized: false,
            ...(cert === undefined ? {} : { cert: cert.certificate, key: cert.key }),
          });
          let text = '';
          socket.on('data', (chunk) => {
            if (text === '' && String(chunk).startsWith('HTTP/1.1 101')) socket.write('hi');
            text += String(chunk);
          });
          socket.on('close', () => resolve(text));
          socket.on('error', reject);
          socket.write('GET /upgrade HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        });
      assert.match(await talk(certificates.admin), /^HTTP\/1.1 101 .*you said hi$/s);
      assert.match(await talk(undefined), /^HTTP\/1.1 403 Forbidden.*cannot get path/s);
    });
  }

  it('lists what every server serves', async () => {
    const nothing = { handle: () => Promise.resolve() };
    const pods = {
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ['get'],
      shortNames: ['po'],
    };
    const next = await start({}, (server) => {
      server.setGroupVersion({ group: 'example.com', version: 'v1' }, nothing, [pods], {
        groupPriorityMinimum: 1000,
        versionPriority: { v1: 100 },
      });
    });
    const first = await start({ delegate: linkTo(next) }, (server) => {
      server.setGroupVersion({ group: '', version: 'v1' }, nothing, [pods], {
        groupPriorityMinimum: 18000,
        versionPriority: { v1: 1 },
      });
      server.setGroupVersion({ group: 'apps', version: 'v1' }, nothing, [pods], {
        groupPriorityMinimum: 17800,
        versionPriority: { v1: 15 },
      });
    });
    const as = certificates.admin;
    const legacy = await call(first, '/apis', { as });
    assert.deepEqual(legacy.json, {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: ['apps', 'example.com'].map((name) => ({
        name,
        versions: [{ groupVersion: `${name}/v1`, version: 'v1' }],
        preferredVersion: { groupVersion: `${name}/v1`, version: 'v1' },
      })),
    });
    assert.deepEqual((await call(first, '/api/', { as })).json['versions'], ['v1']);
    assert.deepEqual((await call(first, '/api/v1', { as })).json, {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [pods],
    });
    const accept =
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
    const aggregated = await call(first, '/apis', { as, headers: { accept } });
    assert.equal(
      aggregated.headers['content-type'],
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    );
    assert.equal((aggregated.json['items'] as unknown[]).length, 2);
    const etag = String(aggregated.headers['etag']);
    const again = await call(first, '/apis', { as, headers: { accept, 'if-none-match': etag } });
    assert.equal(again.status, 304);
    await next.server.removeGroupVersion({ group: 'example.com', version: 'v1' });
    const changed = await call(first, '/apis', { as, headers: { accept, 'if-none-match': etag } });
    assert.equal((changed.json['items'] as unknown[]).length, 1);
    assert.equal((await call(first, '/apis/example.com/v1', { as })).status, 404);
  });
});
