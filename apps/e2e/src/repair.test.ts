import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { repository, startChain } from './chain.ts';
import { failsWith, succeeds } from './command-line.ts';

describe('a chain with a damaged store', () => {
  let directory: string;
  before(() => (directory = mkdtempSync(join(tmpdir(), 'apichain-damaged-'))));
  after(() => rmSync(directory, { recursive: true, force: true }));

  const start = () => startChain({ dataDirectory: directory, args: ['--in-process', '--apis=minimal'] });
  const kubectl = (...words: string[]) =>
    execFileSync('kubectl', ['--kubeconfig', join(directory, 'admin.kubeconfig'), ...words], { encoding: 'utf8' });
  const store = () => join(directory, 'embedded-etcd');
  const repair = (...flags: string[]) => ['doctor', '--repair', '--data-dir', directory, ...flags];
  const damage = () => {
    const name =
      readdirSync(store())
        .filter((each) => each.startsWith('log-'))
        .sort()
        .at(-1) ?? '';
    const data = readFileSync(join(store(), name));
    // Within the object that was written last but one.
    const at = data.lastIndexOf('damaged-here');
    assert.ok(at > 0);
    data[at] = 0;
    writeFileSync(join(store(), name), data);
  };

  it('is told what is whole, and goes on with it when that is wanted', async () => {
    const chain = await start();
    kubectl('create', 'configmap', 'kept');
    kubectl('create', 'configmap', 'damaged-here');
    kubectl('create', 'configmap', 'later');
    await failsWith(/stop it first/, ...repair());
    assert.equal(await chain.stop(), 0);
    assert.match(await succeeds(...repair()), /is whole: there is nothing to repair\n$/);
    damage();
    const report = await failsWith(/wrong/, 'doctor', '--data-dir', directory, `--secure-port=${await freePort()}`);
    assert.match(report, /FAIL +store .* is damaged at byte \d+ .*apichain doctor --repair/);
    const offer = await failsWith(/nothing was changed: --yes goes on/, ...repair());
    assert.match(
      offer,
      /is damaged at byte \d+ \(a checksum does not match\)\nwhole until revision \d+, with \d+ keys; \d+ later writes? would be lost\n$/,
    );
    assert.ok(!existsSync(`${store()}.damaged`));
    assert.match(await succeeds(...repair('--yes')), /\nrepaired .*; the damaged store is .*embedded-etcd\.damaged\n$/);
    assert.ok(readdirSync(`${store()}.damaged`).some((name) => name.startsWith('log-')));
    const again = await start();
    assert.equal(kubectl('get', 'configmap', 'kept', '-o', 'name'), 'configmap/kept\n');
    assert.throws(() => kubectl('get', 'configmap', 'later'));
    kubectl('create', 'configmap', 'later');
    assert.equal(await again.stop(), 0);
  });

  it('is asked about on a terminal', async () => {
    const chain = await start();
    kubectl('create', 'configmap', 'damaged-here-too');
    kubectl('create', 'configmap', 'last');
    await chain.stop();
    damage();
    const ask = async (reply: string) => {
      const words = [process.execPath, join(repository, 'apps/apichain/src/main.ts'), ...repair()];
      const line = words.map((word) => `'${word}'`).join(' ');
      const args = process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', line] : ['-qec', line, '/dev/null'];
      const child = spawn('script', args, { stdio: ['pipe', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        const isAsked = output.includes('[y/N]');
        output += chunk.toString('utf8');
        if (!isAsked && output.includes('[y/N]')) child.stdin.write(reply);
      });
      await new Promise((resolve) => child.once('close', resolve));
      return output;
    };
    assert.match(await ask('n\n'), /nothing was changed/);
    assert.match(await ask('\u0004'), /nothing was changed/);
    assert.match(await ask('y\n'), /repaired .*; the damaged store is .*embedded-etcd\.damaged-2/);
    await failsWith(/--yes is about --repair/, 'doctor', '--yes', '--data-dir', directory);
    await failsWith(/holds no chain/, 'doctor', '--repair', '--data-dir', join(directory, 'none'));
  });
});
