import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from './chain.ts';

/** The output of a short run of one form, in which nothing may be lost. */
async function chaos(form: string, maxRecovery: number): Promise<string> {
  const script = join(repository, 'tools/chaos/main.ts');
  // The full run measures the recovery time. Here recovery must only take seconds, not the minute of a keepalive.
  const args = [script, '--short', `--form=${form}`, `--max-recovery=${maxRecovery}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository, timeout: 450_000 });
  assert.match(stdout, /nothing was lost/);
  return stdout;
}

describe('an etcd of three members that fail in turn', function () {
  this.timeout(480_000);

  it('loses no write, repeats no write, and causes no gap in watches and no stale read', async () => {
    assert.match(await chaos('in-process', 15), /SIGSTOP of etcd-3/);
  });
});

describe('two replicas of each service that fail in turn', function () {
  this.timeout(480_000);

  it('lose no write, repeat no write, and cause no gap in watches and no stale read', async () => {
    const output = await chaos('replicas', 45);
    assert.match(output, /kill -9 of kube-core-1/);
    assert.match(output, /(?:partition|SIGSTOP) of kube-core-2/);
    assert.match(output, /clients moved to another replica/);
  });
});
