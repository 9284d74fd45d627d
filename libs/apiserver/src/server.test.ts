import assert from 'node:assert/strict';
import http2 from 'node:http2';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { setCborServing } from './negotiation/media-types.ts';
import { call, installEcho, TestServers, type TestServer } from './server.fixture.ts';
import type { GenericApiServer } from './server.ts';
import { defaultLimits } from './server-config.ts';

const servers = new TestServers();

describe('GenericApiServer', () => {
  it('serves health, version and the index', async () => {
    const target = await servers.start();
    const health = await call(target, '/readyz');
    assert.equal(health.status, 200);
    assert.equal(health.text, 'ok');
    assert.equal(health.headers['x-content-type-options'], 'nosniff');
    assert.ok(health.headers['audit-id']);
    assert.equal(health.headers['cache-control'], 'no-cache, private');
    const verbose = await call(target, '/readyz?verbose&exclude=log&exclude=nope');
    assert.equal(
      verbose.text,
      '[+]ping ok\n[+]log excluded: ok\n[+]informer-sync ok\n[+]poststarthook/max-in-flight-filter ok\n[+]shutdown ok\n' +
        'warn: some health checks cannot be excluded: no matches for "nope"\nreadyz check passed\n',
    );
    assert.equal((await call(target, '/healthz/ping', { as: servers.certificates.admin })).text, 'ok');
    assert.equal(
      (await call(target, '/healthz/none', { as: servers.certificates.admin })).text,
      '404 page not found\n',
    );
    const version = await call(target, '/version');
    assert.equal(version.json['minor'], '36');
    const index = await call(target, '/', { as: servers.certificates.admin });
    assert.ok((index.json['paths'] as string[]).includes('/livez/ping'));
    assert.match(
      (await call(target, '/metrics', { as: servers.certificates.admin })).text,
      /apiserver_request_total\{/,
    );
  });

  it('tells failing checks without their reason', async () => {
    const target = await servers.start({}, (server) =>
      server.health.add({ name: 'etcd', group: 'storage', check: () => Promise.reject(new Error('down')) }),
    );
    const failed = await call(target, '/livez');
    assert.equal(failed.status, 500);
    assert.equal(
      failed.text,
      '[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[-]etcd failed: reason withheld\n' +
        '[+]poststarthook/max-in-flight-filter ok\nlivez check failed\n',
    );
    assert.equal((await call(target, '/livez?exclude=storage')).status, 200);
    assert.equal(
      (await call(target, '/livez/etcd', { as: servers.certificates.admin })).text,
      'internal server error: down\n',
    );
  });

  it('authenticates servers.certificates, tokens, front proxies and nobody', async () => {
    const target = await servers.start(
      { authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) } },
      installEcho,
    );
    const who = async (options: Parameters<typeof call>[2]) => {
      const answer = await call(target, '/whoami', options);
      return answer.status === 200 ? (answer.json['user'] as { name: string; groups: string[] }) : answer.status;
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

  it('impersonates for those who may', async () => {
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

  it('turns what handlers throw into answers', async () => {
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
    assert.equal(slow.json['message'], 'Timeout: request did not complete within the allotted timeout');
    assert.deepEqual(slow.json['details'], {});
    assert.equal((await call(target, '/slow?timeout=1us', { as })).status, 504);
    const bad = await call(target, '/slow?timeout=abc', { as });
    assert.equal(bad.status, 400);
    assert.equal(bad.json['message'], 'invalid timeout specified in the request URL - time: invalid duration "abc"');
  });

  it('limits how many requests run at once, but not those of system:masters', async () => {
    const target = await servers.start(
      {
        authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
        limits: { ...defaultLimits, maxRequestsInFlight: 1 },
      },
      installEcho,
    );
    const occupying = call(target, '/slow?timeout=500ms', { as: servers.certificates.bob });
    await delay(100);
    const dropped = await call(target, '/whoami', { as: servers.certificates.bob });
    assert.equal(dropped.status, 429);
    assert.equal(dropped.headers['retry-after'], '1');
    assert.equal(dropped.text, 'Too many requests, please try again later.\n');
    assert.equal((await call(target, '/whoami', { as: servers.certificates.admin })).status, 200);
    await occupying;
  });

  it('minds no unfinished hooks on /livez in the grace period', async () => {
    const hang = (server: GenericApiServer) => server.addPostStartHook('slow', () => new Promise(() => undefined));
    const strict = await servers.start({}, hang);
    assert.equal((await call(strict, '/livez')).status, 500);
    const lenient = await servers.start({ limits: { ...defaultLimits, livezGraceMs: 60_000 } }, hang);
    assert.equal((await call(lenient, '/livez')).status, 200);
    assert.equal((await call(lenient, '/readyz')).status, 500);
    assert.equal((await call(lenient, '/healthz')).status, 500);
  });

  it('serves on while shutdown is delayed, then sends clients away when it is told to', async () => {
    const limits = { ...defaultLimits, shutdownDelayMs: 300, shutdownSendRetryAfter: true };
    const target = await servers.start(
      { limits, authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) } },
      installEcho,
    );
    const { admin } = servers.certificates;
    const occupying = call(target, '/slow?timeout=1s', { as: admin });
    await delay(50);
    const stopped = target.server.shutdown();
    assert.equal((await call(target, '/readyz', { as: admin })).status, 500);
    assert.equal((await call(target, '/livez', { as: admin })).status, 200);
    assert.equal((await call(target, '/whoami', { as: admin })).status, 200);
    await delay(400);
    const sent = await call(target, '/whoami', { as: admin });
    assert.equal(sent.status, 429);
    assert.equal(sent.headers['retry-after'], '5');
    assert.equal(sent.headers['connection'], 'close');
    assert.equal(sent.text, 'The apiserver is shutting down, please try again later.\n');
    await occupying;
    await stopped;
  });

  it('ends HTTP/2 connections of strangers, and others by chance', async () => {
    const { certificate: cert, key } = servers.certificates.admin;
    const end = async (target: TestServer, options: http2.SecureClientSessionOptions) => {
      const session = http2.connect(target.url, { ...options, rejectUnauthorized: false });
      const closed = new Promise((resolve) => session.once('close', resolve));
      session.request({ ':path': '/version' }).resume();
      await closed;
    };
    await end(await servers.start({ limits: { ...defaultLimits, goawayChance: 1 } }), { cert, key });
    await end(await servers.start(), {});
  });

  it('speaks HTTP/1.1 only when it is told to', async () => {
    const { serving } = servers.certificates;
    const protocolOf = async (disableHttp2: boolean) => {
      const options = { bindAddress: '127.0.0.1', port: 0, ...serving, clientCAs: [], maxConcurrentStreams: 100 };
      const { port } = await servers.start({ serving: { ...options, disableHttp2 } });
      const ALPNProtocols = ['h2', 'http/1.1'];
      const socket = tls.connect({ port, host: '127.0.0.1', ALPNProtocols, rejectUnauthorized: false });
      await new Promise((resolve) => socket.once('secureConnect', resolve));
      socket.destroy();
      return socket.alpnProtocol;
    };
    assert.equal(await protocolOf(false), 'h2');
    assert.equal(await protocolOf(true), 'http/1.1');
  });

  it('speaks HTTP/2 on the same port', async () => {
    const target = await servers.start({}, installEcho);
    const { certificate: cert, key } = servers.certificates.admin;
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
    const target = await servers.start();
    const garbage = tls.connect({ host: '127.0.0.1', port: target.port, rejectUnauthorized: false });
    garbage.on('error', () => undefined);
    garbage.write('NOT HTTP\r\n\r\n');
    const text = await new Promise<string>((resolve) => garbage.on('data', (chunk) => resolve(String(chunk))));
    assert.match(text, /^HTTP\/1.1 400 Bad Request/);
    const plain = net.connect(target.port, '127.0.0.1');
    plain.on('error', () => undefined);
    plain.write('GET / HTTP/1.1\r\n\r\n');
    await new Promise((resolve) => plain.on('close', resolve));
    const broken = await call(target, '/%zz', { as: servers.certificates.admin });
    assert.equal(broken.status, 400);
    assert.equal(broken.text, '400 Bad Request');
    assert.equal((await call(target, '/livez')).status, 200);
  });

  it('hides unknown paths until all are installed', async () => {
    let release = () => undefined as void;
    const target = await servers.start({}, (server) => {
      release = server.holdUnknownPaths();
    });
    const early = await call(target, '/nope', { as: servers.certificates.admin });
    assert.equal(early.status, 503);
    assert.equal(early.headers['retry-after'], '5');
    assert.match(String(early.json['message']), /before all known HTTP paths/);
    release();
    assert.equal((await call(target, '/nope', { as: servers.certificates.admin })).status, 404);
  });

  it('words unknown paths as the router that would have had them', async () => {
    const target = await servers.start();
    const below = await call(target, '/version/x', { as: servers.certificates.admin });
    assert.equal(below.json['message'], 'the server could not find the requested resource');
    const posted = await call(target, '/version', { as: servers.certificates.admin, method: 'POST' });
    assert.equal(posted.json['message'], 'the server does not allow this method on the requested resource');
    const yaml = await call(target, '/version', {
      as: servers.certificates.admin,
      headers: { accept: 'application/yaml' },
    });
    assert.equal(yaml.status, 406);
    const doubled = await call(target, '//api/v1/nodes', { as: servers.certificates.admin });
    assert.equal(doubled.text, '404 page not found\n');
  });

  it('minds no slashes after a path of its router, and has no aggregated form of /apis/', async () => {
    const target = await servers.start({ installer: () => ({ handle: () => Promise.resolve() }) }, (server) => {
      server.installApiGroup({ group: 'own.example.com', versions: ['v1'], storages: new Map() });
    });
    const ask = async (path: string, accept = 'application/json') =>
      (await call(target, path, { as: servers.certificates.admin, headers: { accept } })).status;
    for (const path of ['/api', '/version', '/apis/own.example.com', '/apis/own.example.com/v1']) {
      for (const slashes of ['/', '//', '///']) assert.equal(await ask(path + slashes), 200, path + slashes);
    }
    for (const path of ['/apis//', '/healthz/', '/metrics/']) assert.equal(await ask(path), 404, path);
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    assert.equal(await ask('/apis', aggregated), 200);
    assert.equal(await ask('/apis/', aggregated), 406);
  });

  it('looks at method and media type of the discovery of built-in groups, not of others', async () => {
    const handler = { handle: () => Promise.resolve() };
    const target = await servers.start({ installer: () => handler }, (server) => {
      server.installApiGroup({ group: 'own.example.com', versions: ['v1'], storages: new Map() });
      const priorities = { groupPriorityMinimum: 1000, versionPriority: {} };
      server.setGroupVersion({ group: 'custom.example.com', version: 'v1' }, handler, [], priorities);
    });
    const ask = async (path: string, method: string, accept = '*/*') =>
      (await call(target, path, { as: servers.certificates.admin, method, headers: { accept } })).status;
    for (const path of ['/api', '/apis/own.example.com', '/apis/own.example.com/v1']) {
      assert.equal(await ask(path, 'POST'), 405, path);
      assert.equal(await ask(path, 'GET', 'application/*'), 406, path);
    }
    for (const path of ['/apis', '/apis/custom.example.com', '/apis/custom.example.com/v1']) {
      assert.equal(await ask(path, 'POST'), 200, path);
      assert.equal(await ask(path, 'GET', 'application/*'), 200, path);
    }
  });

  it('says in CBOR what a version serves, not which groups there are', async () => {
    const handler = { handle: () => Promise.resolve() };
    const target = await servers.start({ installer: () => handler }, (server) => {
      server.installApiGroup({ group: 'own.example.com', versions: ['v1'], storages: new Map() });
    });
    const ask = (path: string) =>
      call(target, path, { as: servers.certificates.admin, headers: { accept: 'application/cbor' } });
    setCborServing(true);
    try {
      assert.equal((await ask('/apis/own.example.com/v1')).status, 200);
      for (const path of ['/api', '/apis', '/apis/own.example.com']) {
        const { status, text } = await ask(path);
        assert.equal(status, 406, path);
        assert.doesNotMatch(text, /cbor/);
      }
    } finally {
      setCborServing(false);
    }
  });

  it('drains short requests and ends watches when it stops', async () => {
    const began = { short: Promise.withResolvers<void>(), watch: Promise.withResolvers<void>() };
    const target = await servers.start({}, (server) => {
      server.paths.handle('/short', async (_context, _request, response) => {
        began.short.resolve();
        await delay(200);
        response.end('done');
      });
      server.setGroupVersion(
        { group: 'g', version: 'v1' },
        {
          handle: async (context, _request, response) => {
            response.writeHead(200);
            response.write('first\n');
            began.watch.resolve();
            await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
            response.end('last\n');
          },
        },
        [],
        { groupPriorityMinimum: 1, versionPriority: {} },
      );
    });
    const watch = call(target, '/apis/g/v1/things?watch=true', { as: servers.certificates.admin });
    const short = call(target, '/short', { as: servers.certificates.admin });
    await Promise.all([began.short.promise, began.watch.promise]);
    const stopped = target.server.shutdown();
    assert.equal((await short).text, 'done');
    assert.equal((await watch).text, 'first\nlast\n');
    await stopped;
    await assert.rejects(call(target, '/livez'));
  });
});
