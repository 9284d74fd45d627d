import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import http2 from 'node:http2';
import tls from 'node:tls';
import { alwaysAllow } from '@apichain/authz';
import {
  chainIdentityHeader,
  encodeIdentity,
  parseCertificateBundle,
  RequestHeaderAuthenticator,
  type ChainProxies,
  type UserInfo,
} from '@apichain/authn';
import type { CertificatePair } from '@apichain/serving';
import { takeUpgrade } from '@apichain/request';
import { call, createTestServer, installEcho, startTestServer, TestServers } from './server.fixture.ts';
import type { GenericApiServer } from './server.ts';
import { HttpDelegationTarget } from '@apichain/delegation';
import { InProcessDelegationTarget } from '@apichain/delegation';

const servers = new TestServers();

describe('the chain', () => {
  const socketIn = (folder: string) => join(folder, 'next.sock');
  const overSocket = (path: string) => new HttpDelegationTarget({ url: `unix://${path}` });

  for (const kind of ['TLS', 'a Unix socket'] as const)
    it(`forwards requests over ${kind}, with the identity and with one authorization`, async () => {
      const linkSocket = socketIn(mkdtempSync(join(tmpdir(), 'apichain-')));
      const next = await servers.start(kind === 'TLS' ? {} : { linkSocket }, installEcho);
      const first = await servers.start({
        authorizer: alwaysAllow,
        delegate: kind === 'TLS' ? servers.linkTo(next) : overSocket(linkSocket),
      });
      const headers = { 'x-remote-user': 'mallory', 'x-remote-group': 'system:masters' };
      const seen = await call(first, '/whoami', { as: servers.certificates.bob, headers });
      assert.equal(seen.status, 200);
      const user = seen.json['user'] as { name: string; groups: string[]; extra: Record<string, string[]> };
      assert.equal(user.name, 'bob');
      assert.deepEqual(user.groups, ['dev', 'ops', 'system:authenticated']);
      assert.match(user.extra['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^X509SHA256=/);
      assert.equal((await call(next, '/whoami', { as: servers.certificates.bob })).status, 403);
      const missing = await call(first, '/nope', { as: servers.certificates.bob });
      assert.equal(missing.status, 404);
      assert.equal(missing.text, '404 page not found\n');
      const big = 'x'.repeat(2_000_000);
      const echoed = await call(first, '/echo/a', { as: servers.certificates.bob, method: 'POST', body: big });
      assert.equal(echoed.text.length, big.length);
    });

  for (const kind of ['TLS', 'a Unix socket'] as const)
    it(`sends the exact identity over ${kind}, without identity headers of clients`, async () => {
      const linkSocket = socketIn(mkdtempSync(join(tmpdir(), 'apichain-')));
      // Both servers use the flags of kube-apiserver; the names are those of other front proxies.
      const names = {
        usernameHeaders: ['X-Who'],
        uidHeaders: ['X-Who-Uid'],
        groupHeaders: ['X-Who-Group'],
        extraHeaderPrefixes: ['X-Who-Extra-'],
      };
      const requestHeader = (chainProxies: ChainProxies) =>
        new RequestHeaderAuthenticator({
          clientCAs: parseCertificateBundle(servers.certificates.frontProxyCA.certificate),
          allowedNames: [],
          ...names,
          chainProxies,
        });
      const next = await servers.start(
        { requestHeader: requestHeader(kind === 'TLS' ? 'all' : 'socket'), ...(kind === 'TLS' ? {} : { linkSocket }) },
        installEcho,
      );
      let user: UserInfo = { name: '', uid: '', groups: [], extra: {} };
      const first = await servers.start({
        requestHeader: requestHeader('none'),
        authenticator: { authenticate: () => user },
        authorizer: alwaysAllow,
        chainProxies: 'none',
        delegate: kind === 'TLS' ? servers.linkTo(next) : overSocket(linkSocket),
      });
      const forged = Object.fromEntries(
        [
          ...Object.values(names).flat(),
          'X-Remote-User',
          'X-Remote-Group',
          'X-Remote-Extra-a',
          chainIdentityHeader,
        ].map((name) => [name, name.endsWith('-') ? '' : encodeIdentity({ ...user, name: 'mallory' })]),
      );
      const odd = [
        ' lead',
        'trail ',
        'tab\t',
        'line\r\nX-Remote-Group: system:masters',
        'nul\0',
        'größe',
        '日本',
        '%41',
        'a,b',
      ];
      for (const name of odd) {
        user = {
          name,
          uid: name,
          groups: [name, 'g', 'system:authenticated'],
          extra: { Key: [name], 'a/ b': ['1', '2'] },
        };
        const seen = await call(first, '/whoami', {
          headers: { ...forged, Connection: 'close, X-Remote-User, X-Remote-Group, X-Apichain-Identity' },
        });
        assert.equal(seen.status, 200, seen.text);
        assert.deepEqual(seen.json['user'], user);
      }
      user = { name: 'member', uid: '', groups: Array.from({ length: 3_000 }, (_, i) => `group-${i}`), extra: {} };
      const many = (await call(first, '/whoami')).json['user'] as UserInfo;
      assert.equal(many.groups.filter((group) => group.startsWith('group-')).length, 3_000);
      user = { name: 'giant', uid: '', groups: ['g'.repeat(2 << 20)], extra: {} };
      assert.equal((await call(first, '/whoami')).status, 400);
    });

  it('refuses at the first server what the next one would refuse, over either protocol', async () => {
    const next = await servers.start({}, installEcho);
    const everybody = { authorizer: alwaysAllow };
    const first = await servers.start({ ...everybody, delegate: servers.linkTo(next) });
    const overHttp2 = (path: string, headers: Record<string, string>) =>
      new Promise<number>((resolve) => {
        // Unauthenticated clients do not keep sessions open.
        const own = http2.connect(first.url, { rejectUnauthorized: false });
        own.on('error', () => undefined);
        const stream = own.request({ ':path': path, ...headers });
        let status = 0;
        stream.on('response', (head) => (status = head[':status'] ?? 0));
        stream.on('error', () => undefined);
        stream.resume();
        stream.on('close', () => {
          own.destroy();
          resolve(status);
        });
      });
    const overHttp1 = (path: string, headers: Record<string, string>) =>
      new Promise<number>((resolve) => {
        const socket = tls.connect({ host: '127.0.0.1', port: first.port, rejectUnauthorized: false });
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}\r\n`, 'latin1');
        socket.on('error', () => undefined);
        socket.once('data', (chunk: Buffer) => {
          socket.destroy();
          resolve(Number(chunk.toString().slice(9, 12)));
        });
      });
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-a${i}`, 'b']));
    for (const send of [overHttp1, overHttp2]) {
      assert.equal(await send('/whoami', many(994)), 200);
      assert.equal(await send('/whoami', many(1_050)), 431);
      assert.equal(await send('/whoami', { 'x-a': 'b'.repeat(60_000) }), 200);
      assert.equal(await send('/a\xff', {}), 400);
    }
    const large = (bytes: number) => overHttp1('/whoami', { 'x-a': 'b'.repeat(bytes) });
    assert.equal(await large((1 << 20) - 300), 200);
    assert.equal(await large(1 << 20), 431);
    assert.equal(await large(4 << 20), 431);
    assert.equal(await overHttp1('//', {}), 404);
    assert.equal(await overHttp1('//[', {}), 404);
  });

  it('replaces the socket of a killed server, accessible only to its owner', async () => {
    const linkSocket = socketIn(mkdtempSync(join(tmpdir(), 'apichain-')));
    const killed = spawnSync(process.execPath, [
      '-e',
      `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`,
      linkSocket,
    ]);
    assert.equal(killed.signal, 'SIGKILL');
    assert.ok(statSync(linkSocket).isSocket());
    await servers.start({ linkSocket }, installEcho);
    assert.equal(statSync(linkSocket).mode & 0o777, 0o600);
    const link = overSocket(linkSocket);
    const response = await link.fetch('/whoami');
    assert.equal(response.status, 200);
    assert.match(response.body.toString(), /"name": ?"system:apichain"/);
    link.close();
    writeFileSync(`${linkSocket}.txt`, 'mine');
    await assert.rejects(servers.start({ linkSocket: `${linkSocket}.txt` }), /EADDRINUSE/);
  });

  it('answers 503 while the next server is down', async () => {
    const next = await startTestServer(servers.certificates);
    const first = await servers.start({ delegate: servers.linkTo(next) });
    await next.server.shutdown();
    const response = await call(first, '/apis/g/v1/things', { as: servers.certificates.admin });
    assert.equal(response.status, 503);
    assert.equal(response.headers['retry-after'], '1');
    assert.equal(response.json['reason'], 'ServiceUnavailable');
    assert.equal((await call(first, '/apis', { as: servers.certificates.admin })).status, 200);
    assert.match((await call(first, '/readyz')).text, /\[-\]delegate failed: reason withheld/);
    assert.equal((await call(first, '/livez')).status, 200);
  });

  it('forwards the disconnect of a client', async () => {
    const arrived = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const next = await servers.start({}, (server) =>
      server.paths.handle('/hang', async (context) => {
        context.signal.addEventListener('abort', () => ended.resolve());
        arrived.resolve();
        await ended.promise;
      }),
    );
    const first = await servers.start({ delegate: servers.linkTo(next) });
    const socket = tls.connect({
      host: '127.0.0.1',
      port: first.port,
      rejectUnauthorized: false,
      cert: servers.certificates.admin.certificate,
      key: servers.certificates.admin.key,
    });
    socket.write('GET /hang HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived.promise;
    socket.destroy();
    await ended.promise;
  });

  for (const kind of ['http', 'socket', 'in-process'] as const) {
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
      if (kind === 'http') delegate = servers.linkTo(await servers.start({}, upgrading));
      else if (kind === 'socket') {
        const linkSocket = socketIn(mkdtempSync(join(tmpdir(), 'apichain-')));
        await servers.start({ linkSocket }, upgrading);
        delegate = overSocket(linkSocket);
      } else {
        const next = createTestServer(servers.certificates);
        upgrading(next.server);
        delegate = new InProcessDelegationTarget(next.server);
      }
      const first = await servers.start({ delegate });
      const talk = (cert: CertificatePair | undefined, target = '/upgrade') =>
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
          socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
        });
      assert.match(await talk(servers.certificates.admin), /^HTTP\/1.1 101 .*you said hi$/s);
      assert.match(await talk(undefined), /^HTTP\/1.1 403 Forbidden.*cannot get path/s);
      // The path that was authorized is the path that the next server gets.
      for (const target of ['/a/../upgrade', '/a/%2e%2e/upgrade', '/a/..\\upgrade', '//127.0.0.1/upgrade'])
        assert.match(await talk(servers.certificates.admin, target), /^HTTP\/1.1 404 Not Found/, target);
      const elsewhere = await talk(servers.certificates.admin, 'https://127.0.0.1:1/upgrade');
      assert.match(elsewhere, /^HTTP\/1.1 101 .*you said hi$/s);
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
    const next = await servers.start({}, (server) => {
      server.setGroupVersion({ group: 'example.com', version: 'v1' }, nothing, [pods], {
        groupPriorityMinimum: 1000,
        versionPriority: { v1: 100 },
      });
    });
    const first = await servers.start({ delegate: servers.linkTo(next) }, (server) => {
      server.setGroupVersion({ group: '', version: 'v1' }, nothing, [pods], {
        groupPriorityMinimum: 18000,
        versionPriority: { v1: 1 },
      });
      server.setGroupVersion({ group: 'apps', version: 'v1' }, nothing, [pods], {
        groupPriorityMinimum: 17800,
        versionPriority: { v1: 15 },
      });
    });
    const as = servers.certificates.admin;
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
