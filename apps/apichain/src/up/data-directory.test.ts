import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockHolder, lockStoppedChain, openDataDirectory } from './data-directory.ts';

describe('a data directory', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'apichain-data-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const started = () => openDataDirectory(root).release();

  it('does not get an empty store while a restore or a repair of its store is incomplete', () => {
    for (const [suffix, message] of [
      [
        'restored',
        /^a restore of .* was interrupted: remove .*embedded-etcd\.restored and restore the snapshot again$/,
      ],
      ['repaired', /^a repair of .* was interrupted: run apichain doctor --repair again$/],
    ] as const) {
      const aside = join(root, `embedded-etcd.${suffix}`);
      mkdirSync(aside);
      assert.throws(started, { name: 'StartupError', message });
      mkdirSync(join(root, 'embedded-etcd'));
      started();
      rmSync(join(root, 'embedded-etcd'), { recursive: true });
      rmSync(aside, { recursive: true });
      started();
    }
  });

  it('is locked while the files of a stopped chain are changed, and not while it runs', async () => {
    const lock = join(root, 'lock');
    const chain = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'apichain up'], {
      stdio: 'ignore',
    });
    writeFileSync(lock, `${chain.pid ?? 0}\n`);
    assert.equal(lockHolder(root), chain.pid);
    assert.throws(() => lockStoppedChain(root), {
      name: 'StartupError',
      message: /^process \d+ runs the chain on .*: stop it first/,
    });
    chain.kill('SIGKILL');
    await once(chain, 'exit');
    assert.equal(lockHolder(root), undefined);
    const release = lockStoppedChain(root);
    assert.equal(Number(readFileSync(lock, 'utf8')), process.pid);
    release();
    assert.equal(existsSync(lock), false);
    assert.equal(lockHolder(root), undefined);
  });
});
