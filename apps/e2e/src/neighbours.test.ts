import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import { Agent } from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call, type HttpResponse } from './http.ts';
import { ask, openSession } from './http2.ts';

const attackMs = 4_000;
const configMapsOf = (user: string) => `/api/v1/namespaces/${user}/configmaps`;
const bearer = (user: string) => ({ authorization: `Bearer ${user}-token` });
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface ConfigMap {
  readonly metadata: { readonly namespace: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly data: { readonly owner: string };
}

/** Malformed, oversized and misleading requests that Mallory sends over separate connections, each as bytes. */
function rawAttacks(): readonly string[] {
  const head = (method: string, path: string, more = '') =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer mallory-token\r\n${more}`;
  const own = configMapsOf('mallory');
  const many = (count: number) => Array.from({ length: count }, (_, i) => `x-a${i}: b\r\n`).join('');
  const forged =
    `GET ${configMapsOf('alice')} HTTP/1.1\r\nHost: x\r\nX-Remote-User: alice\r\nX-Remote-Group: system:masters\r\n\r\n`.repeat(
      3,
    );
  const chunked = `${forged.length.toString(16)}\r\n${forged}\r\n0\r\n\r\n`;
  return [
    head('GET', `${own}/a\xff`, '\r\n'),
    head('GET', `${own}/mine`, `${many(994)}\r\n`),
    head('GET', `${own}/mine`, `${many(2_500)}\r\n`),
    head('GET', `${own}/mine`, `X-A: ${'b'.repeat((1 << 20) - 300)}\r\n\r\n`),
    head('GET', `${own}/mine`, `X-A: ${'b'.repeat(5 << 20)}\r\n\r\n`),
    head('GET', `${own}/mine`, 'Connection: X-Remote-User, X-Remote-Group\r\n\r\n'),
    head('GET', `${own}/mine`, 'no colon\r\n\r\n'),
    head('POST', own, 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"half":'),
    head('POST', own, 'Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n{"half":'),
    head('POST', own, 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"half":'),
    head('POST', own, 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
    head('DELETE', `${own}/none`, `Transfer-Encoding: chunked\r\n\r\n${chunked}`),
    head('GET', `${own}/mine`, `Transfer-Encoding: chunked\r\n\r\n${chunked}`),
    head('OPTIONS', own, `Content-Length: ${forged.length}\r\n\r\n${forged}`),
    head('GET', `${own}?watch=true`, '\r\n'),
    head('GET', `${own}?limit=500`, '\r\n'),
  ];
}

/** Sends each of these requests and disconnects a moment later, while the request is being served. */
async function attackHttp1({ url, admin: { ca } }: Chain, until: number): Promise<void> {
  const { hostname: host, port } = new URL(url);
  const attacks = rawAttacks();
  for (let i = 0; Date.now() < until; i++) {
    const connection = net.connect(Number(port), host).on('error', () => undefined);
    const socket = tls.connect({ socket: connection, ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(attacks[i % attacks.length] ?? '', 'latin1');
    await pause(5 + (i % 7) * 5);
    if (i % 2 === 0) connection.resetAndDestroy();
    else socket.destroy();
  }
}

const http2Attacks: readonly ((session: http2.ClientHttp2Session, i: number) => http2.ClientHttp2Stream)[] = [
  (session) => session.request({ ':path': `${configMapsOf('mallory')}/a\xff`, ...bearer('mallory') }),
  (session) => session.request({ ':path': `${configMapsOf('mallory')}/a b`, ...bearer('mallory') }),
  (session) => session.request({ ':path': configMapsOf('mallory'), ...bearer('mallory') }).pause(),
  (session) => session.request({ ':path': `${configMapsOf('mallory')}?watch=true`, ...bearer('mallory') }),
  (session) => {
    const many = Object.fromEntries(Array.from({ length: 994 }, (_, i) => [`x-a${i}`, 'b']));
    return session.request({ ':path': `${configMapsOf('mallory')}/mine`, ...many, ...bearer('mallory') });
  },
  (session, i) => {
    const length = i % 2 === 0 ? {} : { 'content-length': '400000' };
    const type = { 'content-type': 'application/json', ...length };
    const stream = session.request({
      ':method': 'POST',
      ':path': configMapsOf('mallory'),
      ...type,
      ...bearer('mallory'),
    });
    stream.write('{"half":');
    return stream;
  },
  (session, i) => {
    const type = { 'content-type': 'application/merge-patch+json' };
    const path = `${configMapsOf('mallory')}/mine`;
    const stream = session.request({ ':method': 'PATCH', ':path': path, ...type, ...bearer('mallory') });
    stream.end(JSON.stringify({ metadata: { annotations: { n: String(i) } } }));
    return stream;
  },
];

async function attackHttp2(chain: Chain, until: number): Promise<void> {
  let session = openSession(chain, { ca: chain.admin.ca });
  for (let i = 0; Date.now() < until; i++) {
    if (session.destroyed || session.closed || i % 40 === 39) {
      session.destroy();
      session = openSession(chain, { ca: chain.admin.ca });
    }
    const stream = http2Attacks[i % http2Attacks.length]?.(session, i);
    stream?.on('error', () => undefined);
    await pause(5 + (i % 5) * 5);
    stream?.close(i % 3 === 0 ? http2.constants.NGHTTP2_NO_ERROR : http2.constants.NGHTTP2_CANCEL);
  }
  session.destroy();
}

type Send = (method: string, path: string, headers: Record<string, string>, body?: string) => Promise<HttpResponse>;

/** Alice reads and writes. Returns the number of rounds. Throws at the first response that does not belong to her request. */
async function behaveWell(send: Send, until: number): Promise<number> {
  const own = configMapsOf('alice');
  let count = 0;
  for (; Date.now() < until; count++) {
    const got = await send('GET', `${own}/mine`, bearer('alice'));
    assert.equal(got.status, 200, got.text);
    assert.equal(got.json<ConfigMap>().data.owner, 'alice');
    const sign = `${count}-${Math.random()}`;
    const object = { metadata: { name: `new-${sign}`, annotations: { sign } }, data: { owner: 'alice' } };
    const headers = { ...bearer('alice'), 'content-type': 'application/json' };
    const made = await send('POST', `${own}?dryRun=All`, headers, JSON.stringify(object));
    assert.equal(made.status, 201, made.text);
    assert.equal(made.json<ConfigMap>().metadata.annotations?.['sign'], sign);
    const listed = await send('GET', own, bearer('alice'));
    assert.equal(listed.status, 200, listed.text);
    const { items } = listed.json<{ items: ConfigMap[] }>();
    assert.ok(items.length > 0 && items.every(({ metadata }) => metadata.namespace === 'alice'), listed.text);
    const missing = await send('GET', `${own}/missing-${sign}`, bearer('alice'));
    assert.equal(missing.status, 404, missing.text);
    assert.match(missing.text, new RegExp(`missing-${sign}`));
    const forbidden = await send('GET', configMapsOf('mallory'), bearer('alice'));
    assert.equal(forbidden.status, 403, forbidden.text);
  }
  return count;
}

/** The number of requests of ordinary users that hold a seat. */
/** A number of flow control for the requests of ordinary users. */
async function ofUsers(chain: Chain, metric: string): Promise<number> {
  const { text } = await call(chain, 'GET', '/metrics');
  const line = new RegExp(`^apiserver_flowcontrol_${metric}\\{.*flow_schema="global-default".*\\} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}
const executing = (chain: Chain) => ofUsers(chain, 'current_executing_requests');
/** How many requests have begun to execute since the start. */
const dispatched = (chain: Chain) => ofUsers(chain, 'dispatched_requests_total');

async function noneExecutes(chain: Chain, withinMs: number): Promise<void> {
  let count = 0;
  await waitFor(
    async () => (count = await executing(chain)) === 0,
    withinMs,
    () => `${count} requests hold seats, though none is waited for`,
  );
}

for (const form of ['three services', 'one process'] as const)
  describe(`a user beside a misbehaving user, in ${form}`, () => {
    let directory: string;
    let chain: Chain;

    before(async function () {
      this.timeout(480_000);
      directory = mkdtempSync(join(tmpdir(), 'apichain-neighbours-'));
      const tokens = join(directory, 'tokens.csv');
      writeFileSync(tokens, 'alice-token,alice,1\nmallory-token,mallory,2\n');
      const args = [`--token-auth-file=${tokens}`, ...(form === 'one process' ? ['--in-process'] : [])];
      chain = await startChain({ args });
      const create = async (path: string, object: unknown) => {
        const response = await call(chain, 'POST', path, { body: JSON.stringify(object) });
        assert.equal(response.status, 201, response.text);
      };
      for (const user of ['alice', 'mallory']) {
        await create('/api/v1/namespaces', { metadata: { name: user } });
        const fill = user === 'mallory' ? { fill: 'B'.repeat(300_000) } : {};
        await create(configMapsOf(user), { metadata: { name: 'mine' }, data: { owner: user, ...fill } });
        await create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${user}/rolebindings`, {
          metadata: { name: 'own' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
        });
        const mayRead = async () =>
          (await call(chain, 'GET', configMapsOf(user), { admin: false, headers: bearer(user) })).status === 200;
        await waitFor(mayRead, 10_000, () => `${user} may not read`);
      }
    });
    after(async () => {
      await chain?.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    it('receives every response, and the right one', async function () {
      this.timeout(480_000);
      const before = chain.pids();
      const until = Date.now() + attackMs;
      const agent = new Agent({ keepAlive: true });
      const session = openSession(chain, { ca: chain.admin.ca });
      const overHttp1: Send = (method, path, headers, body) =>
        call(chain, method, path, { admin: false, agent, headers, ...(body === undefined ? {} : { body }) });
      const overHttp2: Send = (method, path, headers, body) =>
        ask(session, method, path, { headers, ...(body === undefined ? {} : { body }) });
      const attacks = Promise.all([
        attackHttp1(chain, until),
        attackHttp1(chain, until),
        attackHttp2(chain, until),
        attackHttp2(chain, until),
      ]);
      try {
        const [, ...rounds] = await Promise.all([
          attacks,
          behaveWell(overHttp1, until),
          behaveWell(overHttp1, until),
          behaveWell(overHttp2, until),
        ]);
        assert.ok(
          rounds.every((count) => count > 0),
          String(rounds),
        );
      } finally {
        await attacks;
        agent.destroy();
        session.destroy();
      }
      assert.deepEqual(chain.pids(), before, 'no service was restarted');
      await noneExecutes(chain, 5_000);
    });

    it('shares no seats with requests whose responses are not read', async () => {
      const started = await dispatched(chain);
      const session = http2.connect(chain.url, { ca: chain.admin.ca, settings: { initialWindowSize: 0 } });
      const unread = Array.from({ length: 20 }, () => {
        const stream = session.request({ ':path': `${configMapsOf('mallory')}/mine?timeout=1s`, ...bearer('mallory') });
        return stream.on('error', () => undefined);
      });
      try {
        await waitFor(
          async () => (await dispatched(chain)) - started >= unread.length,
          10_000,
          () => 'the requests do not execute',
        );
        await noneExecutes(chain, 5_000);
      } finally {
        session.destroy();
      }
    });
  });
