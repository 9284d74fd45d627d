import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@apichain/meta/until.fixture';
import type { LivenessTimes } from '@apichain/workers';
import { storeProbe } from './store-probe.ts';
import { SupervisedProcess } from './supervisor.ts';

/** A program that responds on the socket it is given. It ignores SIGTERM, like a process in an infinite loop. `/busy?MS` blocks its event loop. */
const program = `
  const [socket, startMs] = process.argv.slice(2);
  process.on('SIGTERM', () => undefined);
  require('node:fs').rmSync(socket, { force: true });
  const server = require('node:http').createServer((request, response) => {
    response.end('ok');
    const [, ms] = request.url.split('?');
    if (ms !== undefined) setTimeout(() => { for (const end = Date.now() + Number(ms); Date.now() < end;); }, 5);
  });
  setTimeout(() => server.listen(socket), Number(startMs));
`;

const times: LivenessTimes = { periodMs: 60, failures: 4, startupMs: 5_000 };
const hangMs = 60 * 4;

describe('a supervised process', () => {
  let directory: string;
  let socketPath: string;
  let supervised: SupervisedProcess | undefined;
  let messages: string[];
  /** The times of the messages, in milliseconds. */
  let messageTimes: number[];
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-supervisor-'));
    socketPath = join(directory, 's.sock');
    writeFileSync(join(directory, 'program.cjs'), program);
    messages = [];
    messageTimes = [];
  });
  afterEach(async () => {
    await supervised?.stop(0);
    rmSync(directory, { recursive: true, force: true });
  });

  const ask = (path = '/'): Promise<string | undefined> =>
    new Promise((resolve) => {
      const request = http.get({ socketPath, path, timeout: 60, agent: false }, (response) => {
        response.resume();
        response.on('end', () => resolve(undefined));
      });
      request.on('timeout', () => request.destroy(new Error('no response')));
      request.on('error', (error) => resolve(error.message));
    });

  const start = (startMs = 0, liveness = times, hasResponded = false): SupervisedProcess => {
    supervised = new SupervisedProcess(
      {
        name: 'part',
        command: process.execPath,
        args: [join(directory, 'program.cjs'), socketPath, String(startMs)],
        logFile: join(directory, 'part.log'),
        probe: () => ask(),
        liveness,
      },
      (text) => {
        messages.push(text);
        messageTimes.push(performance.now());
      },
    );
    supervised.settle({ hasResponded });
    return supervised;
  };

  const reaches = (condition: () => boolean | Promise<boolean>, what: string) =>
    until(condition, () => `${what}: ${messages.join('; ')}`);
  const responds = () => reaches(async () => (await ask()) === undefined, 'it responds');

  for (const [how, hang] of Object.entries({
    'is stopped': async (pid: number) => process.kill(pid, 'SIGSTOP'),
    'loops without end': async () => void (await ask('/?1000000')),
  }))
    it(`that ${how} is killed and started again, which is reported`, async () => {
      const part = start();
      await responds();
      const { pid = 0 } = part;
      // The supervisor has seen the process alive.
      await sleep(times.periodMs * 2);
      await hang(pid);
      await reaches(() => part.pid !== pid && part.pid !== undefined, 'it is started again');
      await responds();
      assert.throws(() => process.kill(pid, 0), /ESRCH/);
      assert.match(messages[0] ?? '', /^part does not respond \(.+\): it is being ended$/);
      assert.match(messages[1] ?? '', /^part did not respond \(.+\) and was started again$/);
      assert.equal(messages.length, 2);
    });

  it('that hangs before its first probe is started again as soon, if it is known to have responded, and is reported once', async () => {
    const part = start(1_000_000, { ...times, startupMs: 1_000_000 }, true);
    part.settle();
    const { pid } = part;
    await reaches(() => part.pid !== pid, 'it is started again');
    assert.deepEqual(
      messages.map((text) => /does not respond|was started again/.exec(text)?.[0]),
      ['does not respond', 'was started again'],
    );
  });

  it('that is busy for a while, or takes long to start, is left alone', async () => {
    const part = start(hangMs * 3);
    const { pid } = part;
    await responds();
    await sleep(times.periodMs * 2);
    await ask(`/?${Math.round(hangMs / 3)}`);
    await responds();
    await sleep(hangMs * 2);
    assert.equal(part.pid, pid);
    assert.deepEqual(messages, []);
  });

  it('that hangs in its start is started again, ever more slowly', async () => {
    writeFileSync(join(directory, 'program.cjs'), 'setInterval(() => undefined, 1_000_000);');
    start(0, { periodMs: 20, failures: 2, startupMs: 100 });
    const restarts = 5;
    await reaches(() => messages.length >= restarts * 2, 'it is started again');
    // A process that hangs ends at SIGTERM here, so what is between the two messages is the delay. A timer may be a millisecond early.
    for (let restart = 0; restart < restarts; restart++) {
      const delayMs = (messageTimes[restart * 2 + 1] ?? 0) - (messageTimes[restart * 2] ?? 0);
      assert.ok(delayMs >= 100 * 2 ** restart - 1, `restart ${restart} after ${delayMs} ms`);
    }
  });

  it('leaves a log that tells of its restarts', async () => {
    const part = start();
    await responds();
    const { pid = 0 } = part;
    process.kill(pid, 'SIGKILL');
    await reaches(() => messages.length > 0, 'a restart is reported');
    assert.match(messages[0] ?? '', /^part ended \(signal SIGKILL\) and was started again$/);
    assert.equal(readFileSync(join(directory, 'part.log'), 'utf8'), '');
  });
});

describe('the probe of a store', () => {
  it('tells a server that responds from one that does not, over one connection', async () => {
    const server = http2.createServer();
    let sessions = 0;
    server.on('session', () => sessions++);
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      }),
    );
    const probe = storeProbe(`http://127.0.0.1:${port}`);
    assert.equal(await probe(), undefined);
    assert.equal(await probe(), undefined);
    assert.equal(sessions, 1);
    const gone = storeProbe('http://127.0.0.1:1');
    assert.match((await gone()) ?? '', /ECONNREFUSED/);
    server.close();
  });

  it('tells of a session that is destroyed while it connects', async () => {
    const server = http2.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const probe = storeProbe(url, 60_000, () => {
      const session = http2.connect(url);
      session.once('connect', () => session.destroy());
      return session;
    });
    assert.equal(await probe(), 'the connection takes no ping');
    server.close();
  });
});
