import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedEtcd, type EmbeddedEtcd } from '@apichain/embedded-etcd';
import { parseArguments } from '../commands/parse.ts';
import { commands } from '../commands/table.ts';
import { EtcdApi, type StoredKey } from '../etcd-api.ts';
import { migrateCommand } from './command.ts';

const [command] = commands.filter(({ name }) => name === 'migrate');
const run = promisify(execFile);
const text = (value: string) => Buffer.from(value);

/** Runs `apichain migrate` and returns its output. */
async function migrate(...args: string[]): Promise<string> {
  assert.ok(command !== undefined);
  const { log } = console;
  let output = '';
  console.log = (line: string) => (output += line);
  try {
    await migrateCommand(parseArguments(command, args));
  } finally {
    console.log = log;
  }
  return output;
}

describe('apichain migrate', () => {
  let directory: string;
  let source: EmbeddedEtcd;
  let api: EtcdApi;
  const opened: { close(): unknown }[] = [];
  const connect = (etcd: EmbeddedEtcd) => {
    const made = new EtcdApi('it', etcd.url);
    opened.push(made, etcd);
    return made;
  };
  const contents = async (of: EtcdApi, prefix = '') => {
    const found: StoredKey[] = [];
    for await (const kv of of.keys(prefix, (await of.status()).revision)) found.push(kv);
    return found;
  };
  const inOrder = (keys: readonly StoredKey[]) =>
    [...keys].sort((a, b) => a.modRevision - b.modRevision).map(({ key, value }) => [String(key), String(value)]);
  const put = (key: string, value: string, lease = '0') => api.put([{ key: text(key), value: text(value), lease }]);

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-migrate-test-'));
    const listen = { host: '127.0.0.1', port: 0 };
    source = await startEmbeddedEtcd({ dataDir: join(directory, 'source'), listen });
    api = connect(source);
    for (let i = 0; i < 700; i++) await put(`/registry/${(i * 7919) % 700}`, `first ${i}`);
    for (let i = 0; i < 100; i++) await put(`/registry/${i * 3}`, `second ${i}`);
    await put('/other/one', 'apart');
    await put('/registry/events/e', 'hangs on a lease', await api.grantLease(3600));
    await api.put([
      { key: text('/registry/pair/a'), value: text('of one'), lease: '0' },
      { key: text('/registry/pair/b'), value: text('revision'), lease: '0' },
    ]);
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('creates a directory with the same revisions, compacted before the first one', async () => {
    const to = join(directory, 'new');
    assert.match(await migrate('--from', source.url, '--to', to), /copied 704 keys and 1 leases of revision 804/);
    assert.ok(!existsSync(`${to}.migrating`));
    const copy = connect(await startEmbeddedEtcd({ dataDir: to }));
    const [before, after] = [await contents(api), await contents(copy)];
    const shape = ({ key, value, createRevision, modRevision, version }: StoredKey) =>
      [String(key), String(value), createRevision, modRevision, version].join();
    assert.deepEqual(after.map(shape), before.map(shape));
    assert.equal((await copy.status()).revision, (await api.status()).revision);
    const lease = after.find(({ key }) => String(key) === '/registry/events/e')?.lease ?? '0';
    assert.ok((await copy.leaseTtl(lease)) ?? 0 > 3000);
    await assert.rejects(
      contents(copy).then(() => copy.read([text('/registry/1')], 5)),
      /compacted/,
    );
    await copy.put([{ key: text('/next'), value: text('1'), lease: '0' }]);
    assert.equal((await copy.status()).revision, 805);
  });

  it('keeps the order of revisions in an existing store, and overwrites keys only with --overwrite', async () => {
    const etcd = await startEmbeddedEtcd({ memory: true });
    const target = connect(etcd);
    assert.match(await migrate('--from', source.url, '--to', etcd.url, '--prefix', '/registry/'), /copied 703 keys/);
    assert.deepEqual(inOrder(await contents(target)), inOrder(await contents(api, '/registry/')));
    const [a, b] = (await contents(target, '/registry/pair/')).map(({ modRevision }) => modRevision);
    assert.equal(a, b);
    await put('/registry/1', 'third');
    await assert.rejects(migrate('--from', source.url, '--to', etcd.url), /is not empty \(703 keys\).*--overwrite/);
    await migrate('--from', source.url, '--to', etcd.url, '--overwrite');
    assert.deepEqual(inOrder(await contents(target)), inOrder(await contents(api)));
  });

  it('restores a snapshot of etcdctl, and refuses a truncated one', async () => {
    const saved = join(directory, 'backup.db');
    const etcdctl = process.env['APICHAIN_ETCDCTL'] ?? 'etcdctl';
    await run(etcdctl, ['--endpoints', new URL(source.url).host, 'snapshot', 'save', saved], {
      env: { ...process.env, ETCDCTL_API: '3' },
    });
    await put('/registry/later', 'x');
    const to = join(directory, 'restored');
    const said = await migrate('--from', saved, '--to', to);
    assert.match(said, /copied 704 keys and 1 leases of revision 804 from .*backup\.db, and compared both/);
    const copy = connect(await startEmbeddedEtcd({ dataDir: to }));
    assert.equal((await contents(copy, '/registry/later')).length, 0);
    const cut = join(directory, 'cut.db');
    writeFileSync(cut, readFileSync(saved).subarray(0, 1_000));
    await assert.rejects(migrate('--from', cut, '--to', join(directory, 'none')), /the file is cut off/);
    await assert.rejects(migrate('--from', to, '--to', saved), /is a file/);
  });

  it('refuses in one line a source that is in use, missing or equal to the target', async () => {
    const from = join(directory, 'source');
    await assert.rejects(migrate('--from', from, '--to', join(directory, 'x')), /in use by another process/);
    await assert.rejects(migrate('--from', join(directory, 'none'), '--to', from), /holds no store/);
    await assert.rejects(migrate('--from', from, '--to', from), /are the same store/);
    await assert.rejects(migrate('--from', 'ftp://x', '--to', from), /is no address of an etcd/);
    assert.ok(!existsSync(join(directory, 'x')));
  });
});
