import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { putRequest, requestOp } from '@apichain/etcd-api';
import { Compare_CompareResult, Compare_CompareTarget, KVService, LeaseService } from '@apichain/etcd-api/etcdserverpb';
import { startEmbeddedEtcd } from '../embedded-etcd.ts';
import { findProgram, realEtcdProgram, startRealEtcd } from '../real-etcd.fixture.ts';
import { restoreDataDir } from '../create-data-dir.ts';
import { bytes, testClient, type TestClient } from '../server.fixture.ts';
import { fill, historyOf, seen, seenOf } from './backup.fixture.ts';
import { readBackup } from './backup.ts';

const run = promisify(execFile);

/** Changes of every kind that a write-ahead log can contain, and some that an etcd refuses. */
async function change(client: TestClient): Promise<void> {
  const text = bytes('text');
  await client.call(LeaseService.leaseGrant, { ID: '5', TTL: 500 });
  await client.call(LeaseService.leaseGrant, { ID: '-6', TTL: 600 });
  await client.put({ key: bytes('leased'), value: text, lease: '5' });
  await client.put({ key: bytes('revoked'), value: text, lease: '-6' });
  await client.put({ key: bytes('leased'), value: bytes('new'), ignoreLease: true });
  await assert.rejects(client.put({ key: bytes('refused'), lease: '99' }), /lease not found/);
  await client.deleteRange({ key: bytes('/registry/1'), rangeEnd: bytes('/registry/2') });
  const compare = {
    result: Compare_CompareResult.EQUAL,
    target: Compare_CompareTarget.VERSION,
    key: bytes('/registry/3'),
    rangeEnd: bytes(''),
    version: 0,
    createRevision: undefined,
    modRevision: undefined,
    value: undefined,
    lease: undefined,
  };
  const putOf = (key: string) => requestOp({ requestPut: putRequest({ key: bytes(key), value: text }) });
  await client.call(KVService.txn, {
    compare: [compare],
    success: [putOf('wrong')],
    failure: [putOf('a'), putOf('b')],
  });
  await client.call(LeaseService.leaseRevoke, { ID: '-6' });
}

describe('the files of a real etcd', function () {
  let directory: string;
  let program: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-backup-'));
    const found = realEtcdProgram();
    if (found === undefined) throw new Error('this test needs etcd on the PATH or in APICHAIN_ETCD');
    program = found;
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** etcdutl beside the etcd, or etcdctl: etcd 3.4 has no etcdutl. */
  const tool = () => {
    const beside = join(dirname(program), 'etcdutl');
    const found = existsSync(beside) ? beside : (process.env['APICHAIN_ETCDCTL'] ?? findProgram('etcdctl'));
    if (found === undefined) throw new Error('this test needs etcdutl or etcdctl (Debian: etcd-client)');
    return (...words: string[]) => run(found, words, { env: { ...process.env, ETCDCTL_API: '3' } });
  };

  it('show the same state as the etcd: a snapshot, its directory in use, and the directory after a kill', async () => {
    const real = await startRealEtcd(program);
    const client = testClient(real.url);
    try {
      await fill(client);
      const file = join(directory, 'snapshot');
      writeFileSync(file, await client.snapshot());
      const expected = await seen(client);
      assert.deepEqual(await seenOf(file), expected);
      assert.equal((await readBackup(file)).form, 'etcd snapshot');
      assert.deepEqual(await seenOf(real.dataDir), expected, 'the directory in use');

      // The etcd has committed what it has by then. What follows stands only in its write-ahead log.
      await delay(500);
      await change(client);
      const changed = await seen(client);
      client.close();
      await real.kill();
      assert.deepEqual(await seenOf(real.dataDir), changed);
      assert.deepEqual(await seenOf(join(real.dataDir, 'member')), changed);
      const { form, missing } = await readBackup(real.dataDir);
      assert.deepEqual([form, missing], ['etcd data directory', undefined]);
    } finally {
      client.close();
      await real.close();
    }
  });

  it('say what is missing when the write-ahead log is damaged or absent', async () => {
    const real = await startRealEtcd(program);
    const client = testClient(real.url);
    try {
      await client.put({ key: bytes('first'), value: bytes('1') });
      await delay(500);
      for (let i = 0; i < 20; i++) await client.put({ key: bytes('last'), value: Buffer.alloc(3_000, 'x') });
      client.close();
      await real.kill();
      const copy = join(directory, 'copy');
      cpSync(real.dataDir, copy, { recursive: true });
      const logs = join(copy, 'member', 'wal');
      const log = join(logs, readdirSync(logs).find((name) => name.endsWith('.wal')) ?? assert.fail());
      const damaged = readFileSync(log);
      const at = damaged.lastIndexOf('xxxx') - 20_000;
      damaged.write('yyyy', at);
      writeFileSync(log, damaged);
      const backup = await readBackup(copy);
      assert.match(backup.missing ?? '', /^\S+member\/wal is damaged: its last changes may be missing$/);
      assert.equal(String(backup.keys.get('first')?.value), '1');
      // A record of which a sector was never written is a write that was interrupted.
      damaged.fill(0, at, at + 1_024);
      writeFileSync(log, damaged);
      assert.equal((await readBackup(copy)).missing, undefined);
      rmSync(logs, { recursive: true });
      assert.match(
        (await readBackup(copy)).missing ?? '',
        /member has no write-ahead log: the last changes may be missing$/,
      );
    } finally {
      client.close();
      await real.close();
    }
  });

  it('restore into an embedded store, with revisions, leases and history', async () => {
    const real = await startRealEtcd(program);
    const client = testClient(real.url);
    const file = join(directory, 'snapshot');
    const dataDir = join(directory, 'restored');
    let expected: unknown;
    try {
      await fill(client);
      writeFileSync(file, await client.snapshot());
      expected = [await seen(client), await historyOf(client)];
    } finally {
      client.close();
      await real.close();
    }
    await restoreDataDir({ snapshot: file, dataDir });
    const etcd = await startEmbeddedEtcd({ dataDir });
    const restored = testClient(etcd.url);
    assert.deepEqual([await seen(restored), await historyOf(restored)], expected);
    restored.close();
    await etcd.close();
  });

  it('can be made of a snapshot of the embedded store, by its own tools', async () => {
    const etcd = await startEmbeddedEtcd({ dataDir: join(directory, 'data') });
    const client = testClient(etcd.url);
    const file = join(directory, 'snapshot');
    let expected: unknown;
    try {
      await fill(client);
      await change(client);
      for (let i = 0; i < 500; i++)
        await client.put({ key: bytes(`/many/${String(i)}`), value: Buffer.alloc(i * 20, 'v') });
      writeFileSync(file, await client.snapshot());
      expected = [await seen(client), await historyOf(client)];
    } finally {
      client.close();
      await etcd.close();
    }
    const etcdutl = tool();
    const { stdout } = await etcdutl('snapshot', 'status', file, '-w', 'json');
    const status = JSON.parse(stdout) as { hash: number; revision: number; totalKey: number; totalSize: number };
    assert.equal(status.revision, etcd.revision);
    assert.equal(status.totalSize, readFileSync(file).length - 32);
    assert.ok(status.hash > 0 && status.totalKey > 500 && status.totalKey < 700, stdout);

    const dataDir = join(directory, 'etcd');
    await etcdutl('snapshot', 'restore', file, '--data-dir', dataDir);
    const real = await startRealEtcd(program, { dataDir });
    const moved = testClient(real.url);
    try {
      assert.deepEqual([await seen(moved), await historyOf(moved)], expected);
      const { header } = await moved.put({ key: bytes('next') });
      assert.equal(header?.revision, etcd.revision + 1);
      await moved.call(LeaseService.leaseRevoke, { ID: '5' });
      assert.equal((await moved.range({ key: bytes('leased') })).kvs.length, 0);
    } finally {
      moved.close();
      await real.close();
    }
  });
});
