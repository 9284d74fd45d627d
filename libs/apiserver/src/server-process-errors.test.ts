import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import { join } from 'node:path';

type Version = 'HTTP/1.1' | 'HTTP/2';

/** The result of a request; `status` undefined = no response, `whole` = the response was complete. */
interface Outcome {
  readonly status: number | undefined;
  readonly whole: boolean;
}

/** Injects errors outside any error handler into a server that runs as the programs do. */
describe('an error that no handler catches', () => {
  let child: ChildProcess;
  let url = '';
  let places: string[] = [];
  let log = '';

  before(async () => {
    child = spawn(process.execPath, [join(import.meta.dirname, 'server-process-errors.fixture.ts')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    const [, address, names] = /^ready (\S+) (\S+)/.exec(line.toString()) ?? [];
    assert.ok(address !== undefined && names !== undefined, log);
    url = address;
    places = names.split(',');
  });
  after(() => child.kill('SIGKILL'));

  const over1 = (path: string, auditId: string): Promise<Outcome> =>
    new Promise((resolve) => {
      const request = https.request(`${url}${path}`, {
        method: 'POST',
        agent: false,
        rejectUnauthorized: false,
        headers: { 'Audit-Id': auditId },
      });
      request.on('error', () => resolve({ status: undefined, whole: false }));
      request.on('response', (response) => {
        response.resume();
        response.on('error', () => undefined);
        response.on('close', () => resolve({ status: response.statusCode, whole: response.complete }));
      });
      request.end('{}');
    });

  const over2 = async (path: string, auditId: string): Promise<Outcome> => {
    const session = http2.connect(url, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    const stream = session.request({ ':method': 'POST', ':path': path, 'audit-id': auditId });
    let status: number | undefined;
    let whole = false;
    stream.on('response', (headers) => (status = headers[':status']));
    stream.on('end', () => (whole = status !== undefined));
    stream.on('error', () => undefined);
    stream.resume();
    stream.end('{}');
    await new Promise((resolve) => stream.on('close', resolve));
    session.destroy();
    return { status, whole: whole && stream.rstCode === 0 };
  };

  const logged = async (text: string): Promise<string> => {
    for (let attempt = 0; attempt < 200; attempt++) {
      const line = log.split('\n').find((each) => each.includes(text) && each.includes('injected'));
      if (line !== undefined) return line;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return assert.fail(`the log names ${text}:\n${log}`);
  };

  /** A stream of another client, which must not be affected; `check` asserts that it still delivers data. */
  const neighbour = async () => {
    const session = http2.connect(url, { rejectUnauthorized: false });
    const stream = session.request({ ':path': '/stream' });
    let ticks = 0;
    stream.on('data', () => ticks++);
    await once(stream, 'data');
    return {
      check: async () => {
        const before = ticks;
        await once(stream, 'data');
        assert.ok(ticks > before && !stream.closed);
      },
      close: () => session.destroy(),
    };
  };

  for (const [version, send] of Object.entries({ 'HTTP/1.1': over1, 'HTTP/2': over2 }) as [Version, typeof over1][]) {
    it(`ends only that request and is logged with its audit id (${version})`, async () => {
      const other = await neighbour();
      for (const place of places) {
        const auditId = `${version}-${place}`;
        const { status, whole } = await send(`/fail/${place}`, auditId);
        // Before `response-finish` the response is complete. At all other places the client must get an error or a broken response.
        const isFailure = status === undefined || status === 500 || !whole || place === 'response-finish';
        assert.ok(isFailure, `${place}: ${String(status)}`);
        assert.match(await logged(`"${auditId}"`), /"auditID":"/, place);
        await other.check();
      }
      other.close();
      assert.equal(child.exitCode, null, log);
    });
  }

  it('in an audit backend does not affect the response', async () => {
    for (const path of ['/audited', '/audited-later']) {
      assert.deepEqual(await over1(path, `backend-of-${path}`), { status: 200, whole: true });
      assert.match(await logged(`"backend-of-${path}"`), /"auditID":"/);
    }
  });

  it('outside of a request is logged, and the process continues', async () => {
    assert.deepEqual(await over1('/fail-elsewhere', 'over'), { status: 200, whole: true });
    assert.match(await logged('uncaught error outside of requests'), /injected/);
    assert.deepEqual(await over2('/whoami', 'later'), { status: 200, whole: true });
    assert.equal(child.exitCode, null, log);
  });
});
