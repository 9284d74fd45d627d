import assert from 'node:assert/strict';
import type { RequestRecord } from '@apichain/request';
import fc from 'fast-check';
import { record, TestConsole } from './console.fixture.ts';

describe('the console server', () => {
  let test: TestConsole;
  beforeEach(async () => {
    test = await TestConsole.start();
  });
  afterEach(() => test.close());

  it('serves the page with a policy that allows no inline script, no other origin and no frame', async () => {
    const { status, headers } = await test.ask('/');
    assert.equal(status, 200);
    const policy = headers['content-security-policy'] ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      assert.ok(String(policy).includes(part), part);
    assert.doesNotMatch(String(policy), /unsafe|\*|https?:/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  });

  it('compresses the page for browsers, and answers 304 when they have it', async () => {
    const compressed = await test.ask('/', { 'accept-encoding': 'gzip, br' });
    assert.equal(compressed.headers['content-encoding'], 'br');
    assert.equal((await test.ask('/', { 'if-none-match': '"t"' })).status, 304);
    assert.equal((await test.ask('/', { origin: test.origin }, 'POST')).status, 405);
  });

  it('tells a page of other consoles in which the browser has logged in', async () => {
    const { cookie = '', ...others } = await test.session('jane');
    const sent = `${cookie}; apichain-console-6481=x; other=y; apichain-console-999999=z; apichain-console-6481=w`;
    const { body } = await test.ask('/console/session', { ...others, cookie: sent });
    assert.deepEqual((JSON.parse(body) as { otherPorts: unknown }).otherPorts, [6481]);
  });

  describe('with WebSockets', () => {
    const path = '/api/v1/namespaces/shop/pods/web/exec';
    const asWebSocket = ({ cookie = '', 'x-console-proof': proof = '' }: Record<string, string>) => ({
      ...{ connection: 'upgrade', upgrade: 'websocket', cookie, origin: test.origin },
      'sec-websocket-protocol': `v5.channel.k8s.io, apichain-console-proof.${proof}`,
    });

    it('passes them to the API as the user of the session, without the proof', async () => {
      const headers = asWebSocket(await test.session('jane'));
      assert.equal((await test.ask(path, headers)).body, 'the API');
      assert.equal(await test.receivedFrom(), 'jane');
      assert.equal(test.received?.['sec-websocket-protocol'], 'v5.channel.k8s.io');
      assert.equal((await test.ask('/console/session', headers)).status, 404);
    });

    it('refuses those of other pages, and of no session', async () => {
      const headers = asWebSocket(await test.session('jane'));
      const { origin: _origin, ...without } = headers;
      for (const other of [
        without,
        { ...headers, origin: 'http://evil.example' },
        { ...headers, host: 'evil.example' },
      ])
        assert.equal((await test.ask(path, other)).status, 403);
      for (const other of [{ cookie: '' }, { 'sec-websocket-protocol': 'v5.channel.k8s.io' }])
        assert.equal((await test.ask(path, { ...headers, ...other })).status, 401);
      assert.equal(test.received, undefined);
    });
  });

  it('answers requests whose headers and targets have any bytes', async () => {
    const { cookie = '', 'x-console-proof': proof = '' } = await test.session('admin');
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
          const { status } = await test.ask(
            at,
            { origin: test.origin, ...more },
            method,
            method === 'POST' ? body : '',
          );
          assert.ok(status >= 400 && status < 500, `${status}`);
        },
      ),
      { numRuns: 200, examples: [['/api', { cookie, 'x-console-proof': proof.replace(/.$/, '\xe4') }, 'GET', '']] },
    );
    assert.equal(test.received, undefined);
  });

  it('refuses a host name that is rebound to this machine', async () => {
    for (const host of ['attacker.example', `attacker.example:80`, '127.0.0.1', '127.0.0.1:1']) {
      const { status, body } = await test.ask('/', { host });
      assert.equal(status, 403, host);
      assert.match(body, /Host/);
    }
    assert.equal((await test.ask('/', { host: `localhost:${new URL(test.origin).port}` })).status, 200);
  });

  it('refuses requests of other origins, and writes without an origin', async () => {
    const headers = await test.session('admin');
    const { origin: own = '', ...withoutOrigin } = headers;
    for (const other of ['http://attacker.example', 'http://127.0.0.1:1', 'null', own.replace('http:', 'https:')])
      assert.equal((await test.ask('/api', { ...headers, origin: other })).status, 403, other);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await test.ask('/api', withoutOrigin, method)).status, 403, method);
    for (const site of ['cross-site', 'same-site'])
      assert.equal((await test.ask('/api', { ...headers, 'sec-fetch-site': site })).status, 403, site);
    assert.equal(test.received, undefined);
    assert.equal((await test.ask('/api', { ...headers, 'sec-fetch-site': 'same-origin' })).status, 200);
  });

  it('allows a link from elsewhere to the page', async () => {
    assert.equal((await test.ask('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status, 200);
  });

  it('isolates responses of the API, which may be pages of others', async () => {
    const { headers } = await test.ask('/api', await test.session('admin'));
    assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'; sandbox");
  });

  it('sends each of several joined watches as a request of the session', async () => {
    test.serve = (response) => response.end('{"type":"BOOKMARK"}\n');
    const path = '/console/watches?path=/api/v1/pods%3Fwatch%3D1&path=/api/v1/nodes%3Fwatch%3D1';
    assert.equal((await test.ask(path)).status, 401);
    const { body } = await test.ask(path, await test.session('jane'));
    for (const watch of [0, 1]) assert.match(body, new RegExp(`"watch":${watch},"event":{"type":"BOOKMARK"}`));
    assert.equal(await test.receivedFrom(), 'jane');
    assert.deepEqual([test.received?.cookie, test.received?.['user-agent']], [undefined, 'apichain-console']);
  });

  it('shows the requests of others only to those who may get /console/requests', async () => {
    for (const [name, uri] of [
      ['jane', '/1'],
      ['admin', '/2'],
      ['jane', '/3'],
    ] as const)
      test.requests.add(record(name, uri));
    const seen = async (name: string) => {
      const { body } = await test.ask('/console/requests', await test.session(name));
      const { isAll, items } = JSON.parse(body) as { isAll: boolean; items: readonly RequestRecord[] };
      return [isAll, ...items.map(({ uri }) => uri)];
    };
    assert.deepEqual(await seen('admin'), [true, '/3', '/2', '/1']);
    assert.deepEqual(await seen('jane'), [false, '/3', '/1']);
    assert.equal((await test.ask('/console/requests')).status, 401);
    assert.equal((await test.ask('/console/other', await test.session('admin'))).status, 404);
  });

  it('shows the writes that were finished after a position, as a page asks again and again', async () => {
    const resource = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'a', name: 'b' };
    const write = (uri: string, code?: number) => ({ ...record('admin', uri, code), method: 'POST', resource });
    for (const one of [write('/1'), { ...record('admin', '/2'), resource }, write('/3', 409)]) test.requests.add(one);
    const headers = await test.session('admin');
    const seen = async (after: string) => {
      const { body } = await test.ask(`/console/requests?writes=true&after=${after}`, headers);
      const { position, items } = JSON.parse(body) as { position: number; items: readonly RequestRecord[] };
      return [position, ...items.map(({ uri }) => uri)];
    };
    assert.deepEqual(await seen('0'), [3, '/1']);
    assert.deepEqual(await seen('3'), [3]);
    test.requests.add(write('/4'));
    assert.deepEqual(await seen('3'), [4, '/4']);
    // A server that was started again counts from the beginning.
    assert.deepEqual(await seen('100'), [4, '/4']);
    assert.equal((await test.ask('/console/requests?after=x', headers)).status, 400);
  });

  it('keeps a bounded number of records, without probes', async () => {
    for (let i = 0; i < 20; i++) test.requests.add(record('jane', `/${i}`));
    test.requests.add(record('admin', '/livez?verbose'));
    test.requests.add(record('admin', '/readyz', 500));
    assert.deepEqual(
      test.requests.list().map(({ uri }) => uri),
      ['/readyz', '/19', '/18'],
    );
  });
});
