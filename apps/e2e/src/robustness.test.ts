import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { type Chain, startChain, waitFor } from './chain.ts';
import { call } from './http.ts';
import { openFrames, openWatch } from './streams.ts';
import { defineWidgets, widgets } from './definitions.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: Record<string, string> = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

/** The resident memory of all server processes of a chain, in MiB. */
function memory(chain: Chain): number {
  const { etcd: _etcd, ...servers } = chain.pids();
  const resident = (pid: number) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return Object.values(servers).reduce((sum, pid) => sum + Number(resident(pid)) / 1_024, 0);
}

describe('robustness of the whole chain', () => {
  let chain: Chain;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  before(async () => {
    chain = await startChain();
    await defineWidgets(chain);
  });
  after(() => {
    agent.destroy();
    return chain?.stop();
  });

  const post = (path: string, body: string | Buffer) => call(chain, 'POST', path, { body, agent });

  it('keeps 64-bit integers and members named like those of Object.prototype', async () => {
    const spec =
      '{"max":9223372036854775807,"min":-9223372036854775808,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x"}';
    const created = await post(
      widgets,
      `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"exact"},"spec":${spec}}`,
    );
    assert.equal(created.status, 201, created.text);
    const read = await call(chain, 'GET', `${widgets}/exact`);
    for (const part of spec.slice(1, -1).split(/,(?=")/)) assert.ok(read.text.includes(part), `${part}: ${read.text}`);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const patched = await call(chain, 'PATCH', `${widgets}/exact`, {
      headers,
      body: '{"spec":{"__proto__":{"more":1},"max":9223372036854775806}}',
    });
    assert.equal(patched.status, 200, patched.text);
    assert.match(patched.text, /"max":9223372036854775806/);
    assert.match(patched.text, /"__proto__":\{[^}]*"more":1/);
    const plain = JSON.parse((await call(chain, 'GET', '/api/v1/namespaces/default')).text) as object;
    assert.ok(!('polluted' in plain));
    const map = await post(
      configMaps,
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto"},"data":{"__proto__":"a","constructor":"b"}}',
    );
    assert.equal(map.status, 201, map.text);
    assert.match((await call(chain, 'GET', `${configMaps}/proto`)).text, /"__proto__":"a","constructor":"b"/);
  });

  it('responds to a map of 100,000 keys, invalid UTF-8 and an empty body with a Status or the object', async () => {
    const many = JSON.stringify({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'many' },
      spec: Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n % 10])),
    });
    const started = Date.now();
    const created = await post(widgets, many);
    // The object is stored, or etcd refuses it because of its size together with the managedFields.
    assert.ok([201, 413, 500].includes(created.status), created.text.slice(0, 300));
    assert.ok(Date.now() - started < 60_000);
    const invalid = Buffer.concat([
      Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"utf8"},"data":{"a":"'),
      Buffer.from([0xff, 0xfe, 0xc3]),
      Buffer.from('"}}'),
    ]);
    const response = await post(configMaps, invalid);
    assert.ok([201, 400].includes(response.status), response.text);
    assert.ok((await post(configMaps, '')).status >= 400);
    assert.equal((await call(chain, 'GET', '/readyz')).status, 200);
  });

  it('releases aborted uploads and half-closed connections', async () => {
    for (let n = 0; n < 20; n++) {
      const upload = request(chain.url + configMaps, {
        ...chain.admin,
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', 'content-length': '100000' },
      });
      upload.on('error', () => undefined);
      upload.write('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"aborted"},"data":{"a":"');
      await delay(20);
      upload.destroy();
    }
    const { hostname, port } = new URL(chain.url);
    const socket = connectTls({ host: hostname, port: Number(port), ...chain.admin });
    await new Promise((done) => socket.once('secureConnect', done));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    socket.end(`GET /api/v1/namespaces/default HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    await new Promise((done) => socket.once('close', done));
    assert.ok(text === '' || text.startsWith('HTTP/1.1 200'), text);
    assert.equal((await call(chain, 'GET', `${configMaps}/aborted`)).status, 404);
  });

  it('ends the watch of a client that does not read, without delay for other clients', async function () {
    this.timeout(480_000);
    const before = memory(chain);
    // The objects are large, so that the buffers of the connections fill quickly and further events stay in the server.
    await post(configMaps, configMap('busy', { text: 'x'.repeat(30_000) }));
    const stalled = await openFrames(chain, `${configMaps}?watch=1&resourceVersion=0`);
    stalled.response.pause();
    stalled.response.on('error', () => undefined);
    let ended = false;
    stalled.response.once('close', () => (ended = true));
    const reading = await openWatch(chain, `${configMaps}?watch=1&labelSelector=last`);
    const events = 1_600;
    const change = (n: number) =>
      call(chain, 'PATCH', `${configMaps}/busy`, {
        agent,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ data: { n: String(n) } }),
      });
    for (let n = 0; n < events; n += 10) await Promise.all(Array.from({ length: 10 }, (_, at) => change(n + at)));
    await call(chain, 'PATCH', `${configMaps}/busy`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { labels: { last: 'yes' } } }),
    });
    const last = Date.now();
    assert.deepEqual(await reading.take(1), ['ADDED busy']);
    assert.ok(Date.now() - last < 20_000, 'the other watch is not behind');
    reading.close();
    const grown = memory(chain) - before;
    console.log(`      memory of all servers: ${before.toFixed(0)} MiB before, ${grown.toFixed(0)} MiB more after`);
    assert.ok(grown < 300, `${grown} MiB more`);
    stalled.response.resume();
    await waitFor(
      () => ended,
      5_000,
      () => 'the watch that was not read goes on',
    );
  });

  it('serves 1,000 concurrent watches over HTTP/2', async () => {
    const before = memory(chain);
    const sessions: ClientHttp2Session[] = [];
    let opened = 0;
    let heard = 0;
    for (let s = 0; s < 10; s++) {
      const session = connectHttp2(chain.url, chain.admin);
      sessions.push(session);
      for (let n = 0; n < 100; n++) {
        const stream = session.request({ ':path': `${configMaps}?watch=1&fieldSelector=metadata.name%3Dheard` });
        stream.once('response', ({ ':status': status }) => (opened += status === 200 ? 1 : 0));
        stream.once('data', () => heard++);
        stream.on('error', () => undefined);
      }
    }
    await waitFor(
      () => opened === 1_000,
      20_000,
      () => `${opened} watches are open`,
    );
    const grown = memory(chain) - before;
    const started = Date.now();
    await post(configMaps, configMap('heard'));
    await waitFor(
      () => heard === 1_000,
      10_000,
      () => `${heard} heard of it`,
    );
    console.log(`      ${(grown * 1.024).toFixed(0)} KiB a watch, all told within ${Date.now() - started} ms`);
    for (const session of sessions) session.destroy();
    assert.ok(grown < 200, `${grown} MiB more`);
  });

  it('ends HTTP/2 with GOAWAY on SIGTERM, loses no acknowledged write, and answers every write that it did', async () => {
    const session = connectHttp2(chain.url, chain.admin);
    let goaway = false;
    session.on('goaway', () => (goaway = true));
    session.on('error', () => undefined);
    const acknowledged: string[] = [];
    const unanswered: string[] = [];
    const create = (name: string) =>
      new Promise<void>((resolve) => {
        if (session.closed || session.destroyed) {
          resolve();
          return;
        }
        const stream = session.request({ ':method': 'POST', ':path': configMaps, 'content-type': 'application/json' });
        let answered = false;
        stream.once('response', ({ ':status': status }) => status === 201 && acknowledged.push(name));
        stream.on('error', () => undefined);
        stream.once('end', () => (answered = stream.rstCode === 0));
        stream.once('close', () => {
          if (!answered) unanswered.push(name);
          resolve();
        });
        stream.resume();
        stream.end(configMap(name));
      });
    let watchEnded = false;
    const watch = session.request({ ':path': `${configMaps}?watch=1` });
    watch.on('error', () => undefined);
    watch.resume();
    watch.once('end', () => (watchEnded = true));
    let stopping = false;
    const writing = Promise.all(
      Array.from({ length: 50 }, async (_, writer) => {
        for (let n = 0; !session.closed && !session.destroyed && n < 1_000; n++) {
          await create(`stop-${writer}-${n}`);
          if (stopping && goaway) return;
        }
      }),
    );
    await waitFor(
      () => acknowledged.length > 100,
      20_000,
      () => `${acknowledged.length} written`,
    );
    process.kill(chain.pids()['aggregator'] ?? 0, 'SIGTERM');
    stopping = true;
    await writing;
    assert.ok(goaway, 'the server said goodbye');
    await waitFor(
      () => watchEnded,
      20_000,
      () => 'the watch has not ended',
    );
    session.destroy();
    // The port refuses connections until the aggregator has been restarted.
    await waitFor(
      async () => (await call(chain, 'GET', '/readyz').catch(() => undefined))?.status === 200,
      20_000,
      () => 'the aggregator was not started again',
    );
    const { items } = (await call(chain, 'GET', configMaps)).json<{ items: { metadata: { name: string } }[] }>();
    const stored = new Set(items.map(({ metadata }) => metadata.name));
    assert.deepEqual(
      acknowledged.filter((name) => !stored.has(name)),
      [],
    );
    assert.deepEqual(
      unanswered.filter((name) => stored.has(name)),
      [],
    );
  });
});
