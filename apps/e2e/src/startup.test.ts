import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runUp, startChain } from './chain.ts';
import { withoutProgress } from './command-line.ts';
import { call } from './http.ts';
import { freePort } from '@apichain/meta';

async function failure(args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const child = runUp(args);
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stderr };
}

describe('apichain up', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-up-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const oneLine = ({ code, stderr }: { code: number | null; stderr: string }, pattern: RegExp) => {
    assert.equal(code, 1, stderr);
    const lines = withoutProgress(stderr);
    assert.equal(lines.length, 1, stderr);
    assert.match(lines[0] ?? '', pattern);
  };

  it('refuses an unknown flag', async () => {
    oneLine(
      await failure([`--data-dir=${directory}`, '--no-such-flag=1']),
      /unknown flag: --no-such-flag \(see apichain up/,
    );
    oneLine(
      await failure([`--data-dir=${directory}`, '--detatch']),
      /unknown flag: --detatch; did you mean --detach\?/,
    );
  });

  it('refuses a port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    oneLine(await failure([`--data-dir=${directory}`, `--secure-port=${port}`]), new RegExp(`port ${port} .*in use`));
    // A bad flag comes first: the port may be that of the running chain.
    for (const form of [[], ['--in-process']])
      oneLine(
        await failure([`--data-dir=${join(directory, 'new')}`, `--secure-port=${port}`, '--etcd-server=x', ...form]),
        /unknown flag: --etcd-server; did you mean --etcd-servers\?/,
      );
    // Nothing is written before the flags are checked.
    assert.equal(existsSync(join(directory, 'new')), false);
    server.close();
    // A directory that existed may be a repository, whose files are not to be ignored.
    assert.equal(existsSync(join(directory, '.gitignore')), false);
  });

  it('refuses an unreachable etcd', async () => {
    const port = await freePort();
    const made = join(directory, 'new');
    const result = await failure([
      `--data-dir=${made}`,
      `--secure-port=${await freePort()}`,
      `--etcd-servers=http://127.0.0.1:${port}`,
    ]);
    oneLine(result, /etcd/);
    // The files of a directory that the command made are not those of a repository around it.
    assert.equal(readFileSync(join(made, '.gitignore'), 'utf8'), '*\n');
  });

  it('refuses a damaged data directory of the embedded etcd', async () => {
    const first = await startChain({ dataDirectory: directory });
    assert.equal(await first.stop(), 0);
    const data = join(directory, 'embedded-etcd');
    const log = readdirSync(data).find((name) => name.startsWith('log-')) ?? '';
    const bytes = readFileSync(join(data, log));
    bytes[bytes.length >> 2] = ~(bytes[bytes.length >> 2] ?? 0);
    writeFileSync(join(data, log), bytes);
    const port = await freePort();
    oneLine(
      await failure([`--data-dir=${directory}`, `--secure-port=${port}`]),
      /is damaged at byte .*restore a snapshot/,
    );
  });

  it('continues with the existing data of a real etcd', async () => {
    const first = await startChain({ dataDirectory: directory, args: ['--embedded-etcd=false'] });
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"}}';
    assert.equal((await call(first, 'POST', '/api/v1/namespaces/default/configmaps', { body })).status, 201);
    assert.equal(await first.stop(), 0);
    for (const args of [[], ['--in-process']]) {
      const next = await startChain({ dataDirectory: directory, args });
      assert.equal((await call(next, 'GET', '/api/v1/namespaces/default/configmaps/kept')).status, 200);
      assert.equal(await next.stop(), 0);
    }
  });

  it('refuses a corrupt data directory of a real etcd', async () => {
    mkdirSync(join(directory, 'etcd', 'member', 'snap'), { recursive: true });
    mkdirSync(join(directory, 'etcd', 'member', 'wal'), { recursive: true });
    writeFileSync(join(directory, 'etcd', 'member', 'snap', 'db'), 'this is not a database'.repeat(1000));
    oneLine(await failure([`--data-dir=${directory}`, `--secure-port=${await freePort()}`]), /etcd did not start/);
  });

  it('keeps all objects over a restart and exits 0 on SIGTERM', async () => {
    const first = await startChain({ dataDirectory: directory });
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"}}';
    assert.equal((await call(first, 'POST', '/api/v1/namespaces/default/configmaps', { body })).status, 201);
    assert.equal(await first.stop(), 0);
    const second = await startChain({ dataDirectory: directory });
    assert.equal((await call(second, 'GET', '/api/v1/namespaces/default/configmaps/kept')).status, 200);
    assert.equal(await second.stop(), 0);
  });
});
