import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('serve.ts', import.meta.url));

describe('the embedded etcd as a process', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-serve-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`ends in order when it gets ${signal} as soon as it says that it is ready`, async () => {
      for (let times = 0; times < 3; times++) {
        const listen = `--listen-client-urls=unix://${join(directory, 'etcd.sock')}`;
        const child = spawn(process.execPath, [program, '--memory', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
        const exited = once(child, 'exit');
        child.stdout.once('data', () => child.kill(signal));
        assert.deepEqual(await exited, [0, null]);
        assert.deepEqual(readdirSync(directory), []);
      }
    });
});
