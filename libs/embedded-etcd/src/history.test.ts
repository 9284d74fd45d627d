import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { everyKey } from '@apichain/etcd-api';
import { MaintenanceService } from '@apichain/etcd-api/etcdserverpb';
import { startEmbeddedEtcd, type EmbeddedEtcd } from './embedded-etcd.ts';
import { restoreDataDir } from './create-data-dir.ts';
import { bytes, testClient, type TestClient } from './server.fixture.ts';

const key = bytes('a');
/** A value of a length of its own, which says in which write it was written. */
const valueOf = (write: number): Buffer => Buffer.alloc(10_000 + write, String(write).padEnd(7));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The files without a name that this process has open in the directory. */
const namelessFiles = (directory: string): number =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', descriptor));
      return path.startsWith(directory) && path.endsWith('(deleted)');
    } catch (error) {
      // The descriptor with which the directory was read.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    }
  }).length;

describe('the history of the embedded etcd', () => {
  let directory: string;
  let dataDir: string;
  let etcd: EmbeddedEtcd;
  let client: TestClient;
  const start = async (options: Partial<Parameters<typeof startEmbeddedEtcd>[0]>) => {
    etcd = await startEmbeddedEtcd({ dataDir, listen: { host: '127.0.0.1', port: 0 }, ...options });
    client = testClient(etcd.url);
  };
  const stop = async () => {
    client.close();
    await etcd.close();
  };
  const write = async (from: number, to: number) => {
    for (let at = from; at <= to; at++) await client.put({ key, value: valueOf(at) });
  };
  /** Reads what was written in the revisions, the first write of a store having revision 2. */
  const check = async (from: number, to: number) => {
    for (let at = from; at <= to; at++) {
      const { kvs } = await client.range({ key, revision: at + 1 });
      assert.ok(kvs[0]?.value.equals(valueOf(at)), `write ${at}`);
    }
  };
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-history-'));
    dataDir = join(directory, 'data');
  });
  afterEach(async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('is read from disk, by reads, watches, snapshots and the next start', async () => {
    await start({ historyBytes: 30_000, checkpointBytes: 200_000 });
    await write(1, 60);
    assert.equal(namelessFiles(directory), 1);
    await check(1, 60);
    const watch = client.watch();
    watch.create({ ...everyKey, startRevision: 2, prevKv: true });
    await watch.until((responses) => responses.flatMap(({ events }) => events).length === 60);
    const events = watch.responses.flatMap((response) => response.events);
    for (const [at, { kv, prevKv }] of events.entries()) {
      assert.ok(kv?.value.equals(valueOf(at + 1)));
      if (at > 0) assert.ok(prevKv?.value.equals(valueOf(at)));
    }
    watch.close();
    const { hash } = await client.call(MaintenanceService.hashKv, { revision: 20 });
    const snapshot = join(directory, 'snapshot');
    await writeFile(snapshot, await client.snapshot());
    await stop();
    await start({ historyBytes: 30_000 });
    await check(1, 60);
    assert.equal((await client.call(MaintenanceService.hashKv, { revision: 20 })).hash, hash);
    await stop();
    dataDir = join(directory, 'restored');
    await restoreDataDir({ snapshot, dataDir });
    await start({ historyBytes: 30_000 });
    await check(1, 60);
  });

  it('gives its space on disk back when it is compacted, and when the store is closed', async () => {
    await start({ historyBytes: 0 });
    await write(1, 10);
    await client.compact(8);
    await check(7, 10);
    assert.equal(namelessFiles(directory), 1);
    await client.compact(11);
    assert.equal(namelessFiles(directory), 0);
    await write(11, 20);
    await check(11, 20);
    assert.equal(namelessFiles(directory), 1);
    await etcd.close();
    assert.equal(namelessFiles(directory), 0);
  });

  it('takes no more memory than its limit', async () => {
    await start({ historyBytes: 8 << 20 });
    const held = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const before = held();
    for (let at = 0; at < 100; at++) await client.put({ key, value: Buffer.alloc(1_000_000, at) });
    // What the connection has used is freed in later turns of the event loop; what the history holds is not.
    let taken = held() - before;
    for (let turn = 0; turn < 200 && taken >= 20 << 20; turn++) {
      await sleep(50);
      taken = held() - before;
    }
    assert.ok(taken < 20 << 20, `${taken >> 20} MiB`);
  });

  it('survives a compaction while a checkpoint is written', async () => {
    await start({});
    const value = (at: number) => Buffer.alloc(700_000, at);
    const last = 60;
    for (let at = 1; at <= last; at++) await client.put({ key, value: value(at) });
    const { revision } = etcd;
    const defragmented = client.call(MaintenanceService.defragment, {});
    while (!readdirSync(dataDir).some((name) => name.endsWith('.partial'))) await new Promise(setImmediate);
    await client.compact(revision);
    await defragmented;
    await stop();
    await start({});
    assert.equal(etcd.revision, revision);
    const { kvs } = await client.range({ key });
    assert.ok(kvs[0]?.value.equals(value(last)));
  });

  it('can be read while a compaction removes it', async () => {
    await start({ historyBytes: 0 });
    await write(1, 200);
    const snapshot = client.snapshot();
    const watch = client.watch();
    watch.create({ ...everyKey, startRevision: 2 });
    await client.compact(201);
    const file = join(directory, 'snapshot');
    await writeFile(file, await snapshot);
    await watch.until((responses) =>
      responses.some(({ canceled, events }) => canceled || events.some(({ kv }) => kv?.modRevision === 201)),
    );
    watch.close();
    await restoreDataDir({ snapshot: file, dataDir: join(directory, 'restored') });
  });

  it('is compacted by itself when the store is in memory', async () => {
    await start({ memory: true, historyBytes: 100_000 });
    const watch = client.watch();
    watch.create(everyKey);
    await write(1, 50);
    await watch.until((responses) => responses.flatMap(({ events }) => events).length === 50);
    watch.close();
    await assert.rejects(client.range({ key, revision: 10 }), /required revision has been compacted/);
    await check(48, 50);
    assert.equal(etcd.revision, 51);
    const late = client.watch();
    late.create({ ...everyKey, startRevision: 10 });
    await late.until((received) => received.some(({ canceled, compactRevision }) => canceled && compactRevision > 10));
    late.close();
  });
});
