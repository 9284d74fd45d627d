import assert from 'node:assert/strict';
import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { repository, startChain, waitFor } from './chain.ts';

const kubectl = (kubeconfig: string, ...words: string[]) =>
  execFileSync('kubectl', ['--kubeconfig', kubeconfig, ...words], { encoding: 'utf8', stdio: 'pipe' });

describe('a chain that is looked at', () => {
  for (const form of ['one process', 'three services'])
    it(`prints a line for each request (${form})`, async () => {
      const chain = await startChain({
        args: ['--show-requests', ...(form === 'one process' ? ['--in-process', '--memory'] : [])],
      });
      try {
        kubectl(chain.kubeconfig, 'create', 'configmap', 'seen');
        assert.throws(() => kubectl(chain.kubeconfig, 'get', 'crd', 'unseen'));
        const created =
          /^\d\d:\d\d:\d\d\.\d{3} {2}201 +[\d.]+ ms {2}kube-core +create +kubernetes-admin +\/api\/v1\/namespaces\/default\/configmaps\?/m;
        const refused = /^\S+ {2}404 +[\d.]+ ms {2}apiextensions +get +kubernetes-admin +\/apis\/apiextensions/m;
        await waitFor(
          () => created.test(chain.output()) && refused.test(chain.output()),
          10_000,
          () => chain.output(),
        );
        assert.doesNotMatch(chain.output(), /readyz|livez|\u001b/);
        const watch = spawn('kubectl', ['--kubeconfig', chain.kubeconfig, 'get', 'secrets', '--watch']);
        const line = (time: string) =>
          new RegExp(
            `^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} {2}200 +${time} {2}kube-core +watch +kubernetes-admin +/api/v1/namespaces/default/secrets\\?`,
            'm',
          );
        for (const time of ['open', '[\\d.]+ ms']) {
          await waitFor(
            () => line(time).test(chain.output()),
            10_000,
            () => chain.output(),
          );
          watch.kill('SIGKILL');
        }
        // The controllers watch nearly everything.
        assert.doesNotMatch(chain.output(), /resourcequotas/);
      } finally {
        await chain.stop();
      }
    });

  it('is controlled by keys, shows its status, and gives the terminal back', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'apichain-keys-'));
    const port = String(await freePort());
    const main = join(repository, 'apps/apichain/src/main.ts');
    const up = [process.execPath, main, 'up', '--in-process', '--memory', '--apis=minimal', '--data-dir', directory];
    // A shell of its own terminal, which says how the terminal is set afterwards.
    const line = `${[...up, '--secure-port', port].map((word) => `'${word}'`).join(' ')}; echo "code $?"; stty -a`;
    const words = process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', line] : ['-qec', line, '/dev/null'];
    // In CI there is no status line.
    const env = { ...process.env, CI: '', TERM: 'xterm' };
    const child = spawn('script', words, { stdio: ['pipe', 'pipe', 'inherit'], env });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const closed = new Promise((resolve) => child.once('close', resolve));
    const until = (pattern: RegExp) =>
      waitFor(
        () => pattern.test(output),
        60_000,
        () => output,
      );
    const press = (key: string) => {
      output = '';
      child.stdin.write(key);
    };
    try {
      await until(/keys: r restart, l logs, o open the console, q quit/);
      await until(/\r\u001b\[K\S*https:\/\/127\.0\.0\.1:\d+ {2}console off {2}\d+ objects {2}[\d.]+ req\/s/);
      press('o');
      await until(/console: it is off; start the chain with --console/);
      press('l');
      press('l');
      await until(/logs: off/);
      press('r');
      await until(/restarting[\s\S]*is ready at[\s\S]*keys:/);
      assert.match(kubectl(join(directory, 'admin.kubeconfig'), 'get', '--raw', '/readyz'), /^ok/);
      press('q');
      await until(/code 0[\s\S]* icanon/);
      assert.doesNotMatch(output, /-icanon|-echo /);
      await closed;
      const state = readFileSync(join(directory, 'logs/apichain.log'), 'utf8');
      for (const entry of state.trim().split('\n')) assert.ok(entry === '' || typeof JSON.parse(entry) === 'object');
    } finally {
      child.kill();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
