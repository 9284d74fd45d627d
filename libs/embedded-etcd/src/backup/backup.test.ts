import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEtcd } from '../embedded-etcd.ts';
import { LeaseService } from '../generated/rpc.ts';
import { bytes, everyKey, testClient, type TestClient } from '../server.fixture.ts';
import { readBackup } from './backup.ts';

/** What a client sees: keys with their revisions, and leases. */
async function seen(client: TestClient) {
  const { kvs, header } = await client.range(everyKey);
  const { leases } = await client.call(LeaseService.leaseLeases, {});
  const ttls = await Promise.all(
    leases.map(async ({ ID }) => [
      ID,
      (await client.call(LeaseService.leaseTimeToLive, { ID, keys: false })).grantedTTL,
    ]),
  );
  return { kvs, revision: header?.revision, ttls: ttls.sort() };
}

/** The same of an embedded store that is started from a backup. */
async function seenOf(path: string) {
  const etcd = await startEmbeddedEtcd({ memory: true, contents: await readBackup(path), expireLeases: false });
  const client = testClient(etcd.url);
  try {
    return await seen(client);
  } finally {
    client.close();
    await etcd.close();
  }
}

/** Writes keys with several revisions, deleted keys, a lease and a compaction. */
async function fill(client: TestClient) {
  await client.call(LeaseService.leaseGrant, { ID: '77', TTL: 600 });
  for (let i = 0; i < 50; i++)
    await client.put({ key: bytes(`/registry/${String(i % 20)}`), value: Buffer.alloc(i * 50, 'v') });
  await client.put({ key: Buffer.from([0xff, 0]), value: bytes('binary') });
  await client.put({ key: bytes('/registry/events/a'), value: bytes('e'), lease: '77' });
  await client.deleteRange({ key: bytes('/registry/7') });
  const { header } = await client.put({ key: bytes('/registry/8') });
  await client.compact((header?.revision ?? 0) - 5);
  await client.deleteRange({ key: bytes('/registry/9') });
}

const filesIn = async (directory: string) =>
  Promise.all(
    (await readdir(directory, { recursive: true })).sort().map(async (name) => {
      const path = join(directory, name);
      return [name, (await stat(path)).isDirectory() ? '' : (await readFile(path)).toString('base64')];
    }),
  );

describe('readBackup', function () {
  this.timeout(60_000);
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-backup-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('reads the data directory of an embedded store, while it runs and afterwards, and changes nothing', async () => {
    const etcd = await startEmbeddedEtcd({ dataDir: directory });
    const client = testClient(etcd.url);
    await fill(client);
    const expected = await seen(client);
    assert.deepEqual(await seenOf(directory), expected);
    client.close();
    await etcd.close();
    writeFileSync(join(directory, 'checkpoint-0000000000000099.partial'), 'left over');
    const before = await filesIn(directory);
    assert.equal((await readBackup(directory)).form, 'embedded data directory');
    assert.deepEqual(await seenOf(directory), expected);
    assert.deepEqual(await filesIn(directory), before);
  });

  it('continues the revisions of the backup', async () => {
    const etcd = await startEmbeddedEtcd({ dataDir: directory });
    const client = testClient(etcd.url);
    await fill(client);
    client.close();
    await etcd.close();
    const contents = await readBackup(directory);
    const copy = await startEmbeddedEtcd({ memory: true, contents });
    const reader = testClient(copy.url);
    assert.equal(copy.revision, contents.revision);
    await assert.rejects(reader.range({ ...everyKey, revision: contents.revision - 1 }), /compacted/);
    const { header } = await reader.put({ key: bytes('new') });
    assert.equal(header?.revision, contents.revision + 1);
    reader.close();
    await copy.close();
    await assert.rejects(startEmbeddedEtcd({ dataDir: join(directory, 'x'), contents }), /only with memory/);
  });

  it('keeps expired leases when asked to', async () => {
    const leases = [{ id: '5', ttl: 2 }];
    const kv = { key: bytes('a'), createRevision: 3, modRevision: 3, version: 1, value: bytes('1'), lease: '5' };
    const contents = { revision: 9, keys: new Map([['a', kv]]), leases };
    const etcd = await startEmbeddedEtcd({ memory: true, contents, expireLeases: false });
    const expiring = await startEmbeddedEtcd({ memory: true, contents });
    await expiring.ageLeases(3_000);
    assert.equal(expiring.snapshot().keys.size, 0);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    assert.equal(etcd.snapshot().keys.size, 1);
    await etcd.close();
    await expiring.close();
  });

  it('refuses what is no backup, with one line that names it', async () => {
    const file = join(directory, 'file');
    for (const [content, message] of [
      ['apiVersion: v1\n', /^\S+file is no backup of an etcd, or is damaged: this is no bbolt database/],
      ['', /is no backup of an etcd/],
      ['x'.repeat(544), /^\S+file is not a whole snapshot: its checksum does not match$/],
      ['aEf1 and no more', /is not a whole snapshot/],
    ] as const) {
      writeFileSync(file, content);
      await assert.rejects(readBackup(file), { name: 'BackupError', message });
      assert.equal(statSync(file).size, content.length);
    }
    await assert.rejects(readBackup(directory), { name: 'BackupError', message: /it has no member\/snap\/db$/ });
    await assert.rejects(readBackup(join(directory, 'none')), {
      name: 'BackupError',
      message: /none cannot be read: no such file or directory$/,
    });
    await assert.rejects(readBackup(join(file, 'below')), { name: 'BackupError' });
  });
});
