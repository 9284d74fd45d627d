import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { until } from '@apichain/meta/until.fixture';
import { workerCount } from './supervise-workers.ts';

/** A service with workers, in processes of its own. */
class Service {
  readonly port: number;
  readonly process: ChildProcess;
  output = '';

  constructor(port: number, ...flags: string[]) {
    this.port = port;
    const program = join(import.meta.dirname, 'service.fixture.ts');
    this.process = spawn(process.execPath, [program, `--port=${port}`, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.process.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  /** Over a connection of its own, so that each request may come to another worker. Undefined when there is no response. */
  async get(path: string, timeoutMs = 60_000): Promise<string | undefined> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
        headers: { connection: 'close' },
        signal,
      });
      return await response.text();
    } catch {
      return undefined;
    }
  }

  /** The workers that respond, by their index. */
  async workers(requests = 8): Promise<Map<string, string>> {
    const names = await Promise.all(Array.from({ length: requests }, () => this.get('/who', 2_000)));
    return new Map(names.flatMap((name) => (name === undefined ? [] : [name.split(', ') as [string, string]])));
  }

  async haveStarted(count: number): Promise<Map<string, string>> {
    let found = new Map<string, string>();
    await until(async () => (found = await this.workers()).size === count);
    return found;
  }

  async stop(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const exited = once(this.process, 'exit');
      this.process.kill('SIGTERM');
      await exited;
    }
    return this.process.exitCode;
  }
}

describe('the workers of a service', () => {
  let service: Service;
  const start = async (...flags: string[]) => (service = new Service(await freePort(), ...flags));
  afterEach(() => service.stop());

  it('share the port, and end together', async () => {
    await start('--workers=3');
    const workers = await service.haveStarted(3);
    assert.deepEqual([...workers.keys()].sort(), ['1 of 3', '2 of 3', '3 of 3']);
    assert.equal(new Set(workers.values()).size, 3);
    assert.equal(await service.stop(), 0);
    for (const pid of workers.values()) assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
  });

  it('are none where one process is enough', async () => {
    await start('--workers', '1');
    await until(async () => (await service.get('/who')) === `alone of 1, ${service.process.pid}`);
  });

  it('ask each other, and tell the first one', async () => {
    await start('--workers=3');
    await service.haveStarted(3);
    const replies = new Set<string | undefined>();
    await until(async () => replies.add(await service.get('/all')).size === 3);
    const [one, three] = [
      { worker: 1, text: '1 there' },
      { worker: 3, text: '3 there' },
    ];
    // The second one has nothing to say.
    assert.deepEqual([...replies].sort(), [[one], [one, three], [three]].map((each) => JSON.stringify(each)).sort());
    assert.equal(await service.get('/share'), '134 1 0');
    await until(async () => {
      await service.get('/tell');
      const told = (await service.get('/told')) ?? '';
      return ['from 1', 'from 2', 'from 3'].every((text) => told.includes(text));
    });
  });

  it('are asked by the parent process, through the one that supervises them', async () => {
    await start('--workers=3');
    await service.haveStarted(3);
    service.process.send('who');
    const [message] = (await once(service.process, 'message')) as [{ replies: string[] }];
    // The second one has nothing to say.
    assert.deepEqual(message.replies.toSorted(), ['1 ', '3 ']);
  });

  it('are started again when they end', async () => {
    await start('--workers=2');
    const before = await service.haveStarted(2);
    for (const pid of before.values()) process.kill(Number(pid), 'SIGKILL');
    await until(async () => {
      const after = await service.workers();
      return after.size === 2 && [...after].every(([name, pid]) => before.get(name) !== pid);
    });
    assert.match(service.output, /fixture: worker [12] ended \(signal SIGKILL\) and was started again/);
  });

  it('are replaced one by one, while all requests are served', async () => {
    await start('--workers=2');
    const before = await service.haveStarted(2);
    service.process.kill('SIGHUP');
    const found: (string | undefined)[] = [];
    await until(async () => {
      found.push(await service.get('/who'));
      return service.output.includes('all workers were replaced');
    });
    assert.ok(!found.includes(undefined), `${found.length} requests`);
    const after = await service.haveStarted(2);
    for (const [name, pid] of before) assert.notEqual(after.get(name), pid);
  });

  it('fail with the first one that cannot start', async () => {
    await start('--workers=4', '--broken');
    const [code] = (await once(service.process, 'exit')) as [number];
    assert.deepEqual([code, service.output], [3, 'fixture: broken\n']);
  });

  it('end with the process that supervises them', async () => {
    await start('--workers=2');
    const workers = await service.haveStarted(2);
    service.process.kill('SIGKILL');
    const isAlive = (pid: string) => {
      try {
        return process.kill(Number(pid), 0);
      } catch {
        return false;
      }
    };
    await until(() => ![...workers.values()].some(isAlive));
  });

  it('are a number from 1 to 256, or as many as the machine has processors to spare', async () => {
    await start();
    assert.deepEqual(
      ['1', '256', '0', '257', '-1', '1.5', '', 'many'].map((text) => workerCount(text)),
      [1, 256, undefined, undefined, undefined, undefined, undefined, undefined],
    );
    const [ofOne = 0, ofMany = 0] = [workerCount('auto'), workerCount('auto', 1_000_000)];
    assert.ok(ofOne >= 1);
    assert.equal(ofMany, 1);
  });
});
