import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '@apichain/etcd-api';
import { MaintenanceService } from '@apichain/etcd-api/etcdserverpb';
import { randomNumbers } from '@apichain/meta/random-numbers.fixture';
import { startEmbeddedEtcd } from '../embedded-etcd.ts';
import { restoreDataDir } from '../create-data-dir.ts';
import { bytes, testClient } from '../server.fixture.ts';
import { fill, historyOf, seen, seenOf } from './backup.fixture.ts';
import { BackupError } from './backup-error.ts';
import { readBackup } from './backup.ts';

const filesIn = async (directory: string) =>
  Promise.all(
    (await readdir(directory, { recursive: true })).sort().map(async (name) => {
      const path = join(directory, name);
      return [name, (await stat(path)).isDirectory() ? '' : (await readFile(path)).toString('base64')];
    }),
  );

describe('readBackup', function () {
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

  const snapshotOf = async (dataDir: string) => {
    const etcd = await startEmbeddedEtcd({ dataDir });
    const client = testClient(etcd.url);
    try {
      await fill(client);
      return { expected: await seen(client), history: await historyOf(client), file: await client.snapshot() };
    } finally {
      client.close();
      await etcd.close();
    }
  };
  const historyIn = async (dataDir: string) => {
    const etcd = await startEmbeddedEtcd({ dataDir });
    const client = testClient(etcd.url);
    try {
      return { contents: await seen(client), history: await historyOf(client) };
    } finally {
      client.close();
      await etcd.close();
    }
  };

  it('reads a snapshot of an embedded store, which restores with its history', async () => {
    const { expected, history, file } = await snapshotOf(join(directory, 'data'));
    const path = join(directory, 'snapshot');
    writeFileSync(path, file);
    assert.deepEqual(await seenOf(path), expected);
    await restoreDataDir({ snapshot: path, dataDir: join(directory, 'restored') });
    assert.deepEqual(await historyIn(join(directory, 'restored')), { contents: expected, history });
    writeFileSync(path, file.subarray(0, -32));
    assert.deepEqual(await seenOf(path), expected, 'the database without its checksum');
    writeFileSync(path, file.subarray(0, -4_096));
    await assert.rejects(readBackup(path), { name: 'BackupError', message: /is damaged: the file is cut off: it has/ });
    writeFileSync(path, file.subarray(0, -1));
    const message = /^\S+snapshot is not a whole snapshot: its checksum does not match$/;
    await assert.rejects(readBackup(path), { name: 'BackupError', message });
    const damaged = Buffer.from(file);
    damaged.write('w', file.lastIndexOf('vvvv'));
    writeFileSync(path, damaged);
    await assert.rejects(readBackup(path), { name: 'BackupError', message });
  });

  it('reads a snapshot in the former form, which restores too', async () => {
    const dataDir = join(directory, 'data');
    const { expected, history } = await snapshotOf(dataDir);
    const etcd = await startEmbeddedEtcd({ dataDir });
    const client = testClient(etcd.url);
    await client.call(MaintenanceService.defragment, {});
    client.close();
    await etcd.close();
    const name = (await readdir(dataDir)).find((each) => each.startsWith('checkpoint')) ?? assert.fail();
    const checkpoint = await readFile(join(dataDir, name));
    const padded = Buffer.concat([checkpoint, Buffer.alloc((512 - (checkpoint.length % 512)) % 512)]);
    const path = join(directory, 'snapshot');
    writeFileSync(path, Buffer.concat([padded, createHash('sha256').update(padded).digest()]));
    assert.equal((await readBackup(path)).form, 'embedded snapshot');
    assert.deepEqual(await seenOf(path), expected);
    await restoreDataDir({ snapshot: path, dataDir: join(directory, 'restored') });
    assert.deepEqual(await historyIn(join(directory, 'restored')), { contents: expected, history });
  });

  it('gives BackupError or contents for a damaged database', async () => {
    const { file } = await snapshotOf(join(directory, 'data'));
    const database = file.subarray(0, -32);
    const path = join(directory, 'damaged');
    const random = randomNumbers(1);
    let refused = 0;
    for (let run = 0; run < 300; run++) {
      const damaged = Buffer.from(database);
      for (let flips = 1 + random(20); flips > 0; flips--) damaged.writeUInt8(random(256), random(damaged.length));
      writeFileSync(path, damaged);
      await readBackup(path).catch((error: unknown) => {
        assert.ok(error instanceof BackupError, String(error));
        refused++;
      });
    }
    assert.ok(refused > 30 && refused < 290, `${String(refused)} of 300 were refused`);
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
      ['x'.repeat(544), /this is no bbolt database/],
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
