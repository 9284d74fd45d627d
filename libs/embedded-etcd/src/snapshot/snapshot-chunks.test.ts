import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBackup } from '../backup/backup.ts';
import { loadContents, takeContents, type StoreContents } from '../engine/contents.ts';
import { Engine } from '../engine/engine.ts';
import { newIdentity } from '../log/recover.ts';
import { Lessor } from '../lease/lessor.ts';
import { memoryLog, type CommitLog } from '../log/commit-log.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import { snapshotChunks } from './snapshot-chunks.ts';

describe('a snapshot of the embedded store', () => {
  let directory: string;
  let engine: Engine;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-snapshot-'));
  });
  afterEach(async () => {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function open(contents: StoreContents, log: CommitLog = memoryLog()): Promise<void> {
    const store = new MvccStore();
    const lessor = new Lessor();
    loadContents(store, lessor, contents);
    const openLog = () => Promise.resolve(log);
    engine = await Engine.open({ identity: newIdentity(), store, lessor, openLog, quotaBytes: Infinity });
  }
  const contentsOf = (count: number, revisionOf: (i: number) => number): StoreContents => ({
    revision: count + 10,
    leases: [{ id: '7', ttl: 60 }],
    keys: new Map(
      Array.from({ length: count }, (_, i) => {
        const key = `/registry/${String(i).padStart(6, '0')}`;
        const modRevision = revisionOf(i);
        const value = Buffer.alloc(i % 900, 'v');
        const kv = { key: Buffer.from(key), createRevision: 2, modRevision, version: 3, value, lease: '0' };
        return [key, kv] as const;
      }),
    ),
  });
  async function inFile(chunks: readonly Buffer[]): Promise<StoreContents> {
    const path = join(directory, 'snapshot');
    writeFileSync(path, Buffer.concat(chunks));
    const { revision, keys, leases } = await readBackup(path);
    return { revision, keys, leases };
  }

  it('contains every key of a store whose revisions have the same number of a change', async () => {
    // A store that was copied key by key: all changes of a transaction have the number 0.
    await open(contentsOf(100, (i) => 10 + Math.floor(i / 7)));
    const expected = takeContents(engine);
    const chunks: Buffer[] = [];
    const remaining: number[] = [];
    for await (const chunk of snapshotChunks(engine)) {
      chunks.push(chunk.blob);
      remaining.push(chunk.remaining);
    }
    const total = Buffer.concat(chunks).length;
    let sent = 0;
    chunks.forEach(({ length }, i) => {
      sent += length;
      assert.equal(remaining[i], total - sent);
    });
    assert.deepEqual(await inFile(chunks), expected);
  });

  it('is the state of its beginning, whatever is written, deleted and compacted meanwhile', async () => {
    await open(contentsOf(3_000, (i) => 3_010 - i));
    await engine.write((txn) => {
      txn.put(Buffer.from('/registry/000001'), Buffer.from('new'), '7');
    });
    const expected = takeContents(engine);
    const chunks: Buffer[] = [];
    for await (const { blob } of snapshotChunks(engine)) {
      chunks.push(blob);
      await engine.write((txn) => {
        txn.delete({ start: '/registry/', end: '/registry0' });
        txn.put(Buffer.from('/registry/000001'), Buffer.from('later'), '0');
      });
      await engine.compact(engine.revision);
    }
    assert.ok(chunks.length > 4, String(chunks.length));
    assert.deepEqual(await inFile(chunks), expected);
  });

  it('lets other work run while it is created', async () => {
    await open(contentsOf(60_000, (i) => 10 + ((i * 7_919) % 60_000)));
    let turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const longest: number[] = [];
    let before = process.threadCpuUsage();
    const measure = () => {
      const now = process.threadCpuUsage();
      longest.push(now.user + now.system - before.user - before.system);
      before = now;
      if (!done) setImmediate(measure);
    };
    setImmediate(measure);
    let chunks = 0;
    for await (const { blob } of snapshotChunks(engine)) if (blob.length > 0) chunks++;
    done = true;
    assert.ok(chunks > 50 && turns > 10, `${String(turns)} turns`);
    assert.ok(Math.max(...longest) < 200_000, `a turn took ${String(Math.max(...longest))} microseconds`);
  });

  it('fails when its contents do not become durable', async () => {
    const log = { ...memoryLog(), flushed: () => Promise.reject(new Error('the disk is full')) };
    await open(
      contentsOf(10, () => 5),
      log,
    );
    await assert.rejects(async () => {
      for await (const { remaining } of snapshotChunks(engine)) assert.ok(remaining > 0, 'its end was sent');
    }, /the disk is full/);
  });
});
