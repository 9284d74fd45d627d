import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerFailure } from './pool-thread.ts';
import { WorkerPool } from './worker-pool.ts';

const program = new URL('./program.fixture.ts', import.meta.url);
const makePool = (options: Partial<ConstructorParameters<typeof WorkerPool>[0]> = {}): WorkerPool =>
  new WorkerPool({ program, idleMs: 200, ...options });

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const work = (name: string, text = '', owner = 'ann', bytes = 100) => ({
  name,
  owner,
  bytes,
  prepare: () => [bytesOf(text)],
});
const textOf = async (result: Promise<readonly Uint8Array[]>): Promise<string> =>
  Buffer.from((await result)[0] ?? bytesOf('')).toString();

describe('a pool of worker threads', () => {
  it('starts a thread with the first work, and ends it when it has been idle', async () => {
    const pool = makePool();
    assert.equal(pool.threads, 0);
    assert.equal(await textOf(pool.run(work('upperCase', 'some text'))), 'SOME TEXT');
    assert.equal(pool.threads, 1);
    const first = await textOf(pool.run(work('threadId')));
    assert.equal(await textOf(pool.run(work('threadId'))), first);
    while (pool.threads > 0) await sleep(20);
    assert.notEqual(await textOf(pool.run(work('threadId'))), first);
  });

  it('leaves the memory of a Buffer to its owner, and shares shared memory', async () => {
    const pool = makePool();
    const buffer = Buffer.from('left alone');
    const shared = new Uint8Array(new SharedArrayBuffer(3)).fill('x'.charCodeAt(0));
    const prepare = () => [buffer, shared];
    for (let i = 0; i < 2; i++) {
      const [first, second] = await pool.run({ ...work('upperCase'), prepare });
      assert.equal(Buffer.from(first ?? []).toString(), 'LEFT ALONE');
      assert.equal(Buffer.from(second ?? []).toString(), 'XXX');
    }
    assert.equal(buffer.toString(), 'left alone');
  });

  it('runs work in as many threads as it may have', async () => {
    const pool = makePool({ maxThreads: 2 });
    await Promise.all(Array.from({ length: 6 }, () => pool.run(work('block', '50'))));
    assert.equal(pool.threads, 2);
  });

  it('rejects with what the preparation rejects with', async () => {
    const pool = makePool();
    const prepare = () => Promise.reject(new RangeError('no document'));
    await assert.rejects(pool.run({ ...work('upperCase'), prepare }), RangeError);
    assert.equal(await textOf(pool.run(work('upperCase', 'a'))), 'A');
  });

  const failures: Record<string, RegExp> = {
    fail: /^WorkerFailure: reason$/,
    exit: /^WorkerFailure: the worker thread failed: it ended$/,
    hang: /^WorkerFailure: the worker thread failed: it took more than 3 s$/,
    exhaust: /^WorkerFailure: the worker thread failed: out of memory$/,
    unknown: /^WorkerFailure: no function unknown$/,
  };
  for (const [name, expected] of Object.entries(failures)) {
    it(`lets other work be done when work fails: ${name}`, async () => {
      // The limit includes the start of the thread.
      const limitMs = name === 'hang' ? 3_000 : 60_000;
      const pool = makePool({ limitMs, resourceLimits: { maxOldGenerationSizeMb: 32 } });
      const failing = pool.run(work(name, 'reason'));
      const others = ['a', 'b', 'c'].map((text) => textOf(pool.run(work('upperCase', text, text))));
      await assert.rejects(failing, (error: unknown) => {
        assert.ok(error instanceof WorkerFailure);
        assert.match(String(error), expected);
        return true;
      });
      assert.deepEqual(await Promise.all(others), ['A', 'B', 'C']);
    });
  }

  it('rejects work when its program cannot be loaded', async () => {
    const pool = makePool({ program: new URL('./missing.ts', import.meta.url) });
    await assert.rejects(pool.run(work('upperCase')), WorkerFailure);
    await assert.rejects(pool.run(work('upperCase')), WorkerFailure);
  });

  it('serves owners round-robin', async () => {
    const pool = makePool();
    const done: string[] = [];
    const run = (owner: string) => pool.run(work('block', '20', owner)).then(() => done.push(owner));
    const first = run('ann');
    await Promise.all([first, ...Array.from({ length: 5 }, () => run('ann')), run('bob')]);
    assert.ok(done.indexOf('bob') <= 2, done.join());
  });

  it('prepares only as much work as may be in memory, and at least one piece', async () => {
    const pool = makePool({ maxBytes: 250 });
    let prepared = 0;
    const run = (owner: string, bytes: number) =>
      pool.run({
        ...work('block', '', owner, bytes),
        prepare: () => {
          prepared++;
          return [bytesOf('100')];
        },
      });
    const all = Array.from({ length: 4 }, (_, i) => run(String(i), 100));
    await Promise.all([0, 1].map((i) => Promise.resolve(i)));
    assert.equal(prepared, 2);
    await Promise.all([...all, run('ann', 1_000)]);
    assert.equal(prepared, 5);
  });

  it('does not keep a process alive when it is idle', () => {
    const code = `
      import { WorkerPool } from ${JSON.stringify(new URL('./worker-pool.ts', import.meta.url).href)};
      const pool = new WorkerPool({ program: new URL(${JSON.stringify(program.href)}), idleMs: 60_000 });
      const [result] = await pool.run({ name: 'upperCase', owner: 'a', bytes: 1, prepare: () => [Buffer.from('done')] });
      console.log(Buffer.from(result).toString());`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    assert.equal(stdout, 'DONE\n', stderr);
  });
});
