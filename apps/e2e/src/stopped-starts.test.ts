import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@apichain/meta';
import { repository, runUp } from './chain.ts';

/** Steps of a start, by a file that exists from then on in the data directory. */
const steps: Readonly<Record<string, string>> = {
  'it has the directory': 'lock',
  'certificates are being made': 'pki/sa.key',
  'certificates are there': 'pki/admin.crt',
  'the store is there': 'embedded-etcd/manifest',
  'the services start': 'store-url',
  'the kubeconfig is written': 'admin.kubeconfig',
};
/** A machine under load takes this long to end the part of a start that has begun. */
const mostMs = 30_000;

describe('a start that is stopped', () => {
  let directory: string;
  let data: string;
  let temporary: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-stopped-'));
    [data, temporary] = [join(directory, 'data'), join(directory, 'tmp')];
    mkdirSync(temporary);
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const flags = async (...more: string[]) => [`--data-dir=${data}`, `--secure-port=${await freePort()}`, ...more];

  /** The processes that know the data directory. */
  const processes = (): string => {
    const all = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
    return all.filter((line) => line.includes(directory)).join('\n');
  };

  async function until(file: string, child: ChildProcess): Promise<void> {
    for (const deadline = Date.now() + 60_000; !existsSync(join(data, file)); await sleep(1))
      assert.ok(child.exitCode === null && Date.now() < deadline, `${file} does not come`);
  }

  async function leavesNothing(): Promise<void> {
    // A process whose parent is gone may need a moment.
    for (let left = 200; left > 0 && processes() !== ''; left--) await sleep(10);
    assert.equal(processes(), '');
    assert.deepEqual(readdirSync(temporary), []);
    const known = /^(?:pki|etcd|embedded-etcd|logs|\.gitignore|admin\.kubeconfig)$/;
    assert.deepEqual(
      readdirSync(data).filter((name) => !known.test(name)),
      [],
    );
    for (const name of readdirSync(join(data, 'pki'))) assert.match(name, /\.(?:crt|key|pub)$/);
  }

  for (const [form, args] of Object.entries({ 'three services': [], 'one process': ['--in-process'] }))
    for (const [step, file] of Object.entries(steps))
      it(`when ${step}, ends with all its processes (${form})`, async () => {
        const child = runUp(await flags('--apis=minimal', ...args), { TMPDIR: temporary });
        const exited = once(child, 'exit');
        await until(file, child);
        const began = performance.now();
        child.kill(step.length % 2 === 0 ? 'SIGTERM' : 'SIGINT');
        assert.deepEqual(await exited, [0, null]);
        assert.ok(performance.now() - began < mostMs, `${performance.now() - began} ms`);
        await leavesNothing();
      });

  for (const signal of ['SIGINT', 'SIGKILL'] as const)
    it(`in the background ends when the command that waits for it gets ${signal}`, async () => {
      const main = join(repository, 'apps/apichain/src/main.ts');
      const words = ['up', '--detach', '--apis=minimal', ...(await flags())];
      const waiting = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
      let problem = '';
      waiting.stderr.on('data', (chunk: Buffer) => (problem += chunk.toString('utf8')));
      const closed = once(waiting, 'close');
      await until('store-url', waiting);
      const { pid } = waiting;
      waiting.kill(signal);
      const [code] = (await closed) as [number | null];
      for (const deadline = Date.now() + mostMs; processes() !== '' && Date.now() < deadline; await sleep(50));
      await leavesNothing();
      assert.match(readFileSync(join(data, 'logs/up.log'), 'utf8'), /^(?:\{.*\}\n)*$/, String(pid));
      if (signal === 'SIGINT')
        assert.deepEqual([code, problem], [1, 'apichain: the chain was stopped before it was ready\n']);
    });
});
