import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { call, TestServers } from './server.fixture.ts';

const servers = new TestServers();

/** The string table of a profile. */
function stringsOf(profile: Buffer): string[] {
  const reader = new BinaryReader(gunzipSync(profile));
  const strings = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === 6) strings.push(reader.string());
    else reader.skip(tag & 7);
  }
  return strings;
}

let calls = 0;

/**
 * Runs a new function that shows up in a CPU profile. It is new each time, because V8's profiler does not know code that was optimized within a
 * running loop before the profile began.
 */
function runBusyPlace(): void {
  const loop = 'for (let i = 0, sum = 0; i < 1e5; i++) sum += JSON.stringify([i]).length;';
  runInThisContext(`(function busyPlaceOfThisTest() { ${loop} })() // ${calls++}`);
}

describe('profiling', () => {
  it('creates profiles that pprof reads', async () => {
    const target = await servers.start();
    const as = servers.certificates.admin;
    for (const [path, unit] of [
      ['/debug/pprof/profile?seconds=1', 'nanoseconds'],
      ['/debug/pprof/heap?seconds=0.3', 'inuse_space'],
      ['/debug/pprof/allocs?seconds=0.3', 'alloc_space'],
    ] as const) {
      const response = call(target, path, { as });
      const timer = setInterval(runBusyPlace, 10);
      const { status, headers, body } = await response;
      clearInterval(timer);
      assert.equal(status, 200);
      assert.equal(headers['content-type'], 'application/octet-stream');
      const strings = stringsOf(body);
      assert.equal(strings[0], '');
      assert.ok(strings.includes(unit));
      if (path.includes('profile?')) assert.ok(strings.includes('busyPlaceOfThisTest'));
    }
  });

  it('is the only endpoint of the debug socket', async () => {
    const debugSocketPath = join(mkdtempSync(join(tmpdir(), 'debug-socket-')), 'socket');
    writeFileSync(debugSocketPath, 'left');
    const { server } = await servers.start({ debugSocketPath });
    const ask = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = http.get({ socketPath: debugSocketPath, path, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        request.on('error', reject);
      });
    assert.equal(await ask('/debug/pprof/'), 200);
    assert.equal(await ask('/debug/flags/v'), 406);
    assert.equal(await ask('/metrics'), 404);
    await server.shutdown();
    await assert.rejects(ask('/debug/pprof/'));
    rmSync(dirname(debugSocketPath), { recursive: true });
  });

  it('has an index, and runs one profile at a time', async () => {
    const target = await servers.start();
    const as = servers.certificates.admin;
    const index = await call(target, '/debug/pprof/', { as });
    assert.match(index.text, /<a href="profile">/);
    const redirect = await call(target, '/debug/pprof', { as });
    assert.equal(redirect.status, 302);
    assert.equal(redirect.headers['location'], '/debug/pprof/');
    const unknown = await call(target, '/debug/pprof/goroutine', { as });
    assert.deepEqual([unknown.status, unknown.text], [404, 'Unknown profile\n']);
    const both = await Promise.all([
      call(target, '/debug/pprof/profile?seconds=0.2', { as }),
      call(target, '/debug/pprof/heap?seconds=0.2', { as }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 500]);
  });

  it('creates profiles in the formats of V8, also of a server behind', async () => {
    const behind = await servers.start({ name: 'behind' });
    const target = await servers.start({ delegate: servers.linkTo(behind) });
    const as = servers.certificates.admin;
    const response = call(target, '/debug/v8/profile?seconds=0.5&component=behind', { as });
    const timer = setInterval(runBusyPlace, 10);
    const { status, headers, text } = await response;
    clearInterval(timer);
    assert.equal(status, 200);
    assert.equal(headers['content-disposition'], 'attachment; filename="behind.cpuprofile"');
    assert.equal(headers['content-type'], 'application/octet-stream');
    const profile = JSON.parse(text) as { nodes: { callFrame: { functionName: string } }[]; samples: number[] };
    assert.ok(profile.nodes.some(({ callFrame }) => callFrame.functionName === 'busyPlaceOfThisTest'));
    assert.ok(profile.samples.length > 0);
  });

  it('refuses V8 profiles that are too long, of unknown servers, and snapshots without the flag for them', async () => {
    const as = servers.certificates.admin;
    const target = await servers.start();
    const statusOf = async (path: string, method = 'GET') => (await call(target, path, { as, method })).status;
    for (const seconds of ['0', '-1', 'x', '300.5']) {
      const { status, text } = await call(target, `/debug/v8/profile?seconds=${seconds}`, { as });
      assert.equal(status, 400);
      assert.match(text, /is not a number above 0 and up to 300/);
    }
    assert.equal(await statusOf('/debug/v8/profile?component=none'), 404);
    assert.equal(await statusOf('/debug/v8/profile', 'POST'), 405);
    assert.equal(await statusOf('/debug/v8/heap'), 403);
    const user = await call(target, '/debug/v8/profile?seconds=0.1', { as: servers.certificates.bob });
    assert.equal(user.status, 403);
    const off = await servers.start({ pages: { profiling: false, statusz: true } });
    assert.equal((await call(off, '/debug/v8/profile?seconds=0.1', { as })).status, 404);
    const pages = { profiling: true, heapSnapshots: true, statusz: true };
    const open = await servers.start({ pages });
    const profile = call(open, '/debug/v8/profile?seconds=0.3', { as });
    const during = await call(open, '/debug/v8/heap', { as });
    assert.deepEqual([(await profile).status, during.status, during.headers['retry-after']], [200, 429, '10']);
  });

  it('takes snapshots of the heap for the owner of the process, and drops one that nobody reads any more', async () => {
    const debugSocketPath = join(mkdtempSync(join(tmpdir(), 'debug-socket-')), 'socket');
    await servers.start({ debugSocketPath });
    const ask = async (path: string): Promise<http.IncomingMessage> => {
      const [response] = await once(http.get({ socketPath: debugSocketPath, path, agent: false }), 'response');
      return response as http.IncomingMessage;
    };
    const snapshot = await ask('/debug/v8/heap');
    assert.equal(snapshot.statusCode, 200);
    const [first] = (await once(snapshot, 'data')) as [Buffer];
    assert.match(first.toString(), /^\{"snapshot":\{"meta":/);
    assert.equal((await ask('/debug/v8/profile?seconds=0.1')).statusCode, 429);
    snapshot.destroy();
    await once(snapshot, 'close');
    let status: number | undefined = 429;
    while (status === 429) {
      const profile = await ask('/debug/v8/profile?seconds=0.1');
      profile.resume();
      status = profile.statusCode;
    }
    assert.equal(status, 200);
    rmSync(dirname(debugSocketPath), { recursive: true });
  });

  it('changes the log level while the server runs', async () => {
    const target = await servers.start();
    const as = servers.certificates.admin;
    const put = (body: string) => call(target, '/debug/flags/v', { as, method: 'PUT', body });
    const response = await put('4');
    assert.equal(response.text, 'successfully set klog.logging.verbosity to 4\n');
    assert.equal(response.headers['content-type'], 'text/plain');
    await call(target, '/version', { as });
    assert.ok(target.logs.some((line) => line.includes('"uri":"/version"')));
    await put('0');
    const before = target.logs.length;
    await call(target, '/version', { as });
    assert.equal(target.logs.filter((line) => line.includes('"uri":"/version"')).length, 1);
    assert.ok(target.logs.length <= before + 1);
    const bad = await put('much');
    assert.deepEqual([bad.status, bad.text.startsWith('failed set klog.logging.verbosity much: ')], [400, true]);
    assert.equal((await call(target, '/debug/flags/v', { as })).status, 406);
  });

  it('counts health checks separately', async () => {
    const target = await servers.start();
    const as = servers.certificates.admin;
    await call(target, '/livez');
    const { text } = await call(target, '/metrics/slis', { as });
    assert.match(text, /kubernetes_healthcheck\{name="ping",type="livez"\} 1/);
    assert.match(text, /kubernetes_healthchecks_total\{name="ping",type="livez",status="success"\} 1/);
    assert.equal((await call(target, '/metrics/slis', { as, method: 'DELETE' })).text, 'metrics reset\n');
    assert.doesNotMatch((await call(target, '/metrics/slis', { as })).text, /name="ping"/);
  });
});
