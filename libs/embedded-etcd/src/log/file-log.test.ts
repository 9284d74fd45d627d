import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import { FileLog } from './file-log.ts';
import { filePath } from './files.ts';
import { recover } from './recover.ts';
import type { LogRecord } from './record.ts';

describe('the log of the embedded etcd', () => {
  let directory: string;
  const identity = { clusterId: '1', memberId: '2' };
  const record = (revision: number): LogRecord => ({ kind: 'compact', revision });
  const store = new MvccStore();
  const open = () =>
    FileLog.open({
      directory,
      identity,
      position: { identity, sequence: 0, path: undefined, length: 0, checkpointBytes: 0 },
      view: () => ({ ...identity, revision: 1, compactRevision: -1, leases: [], tree: store.cloneTree() }),
      checkpointBytes: 1_000,
    });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-log-'));
  });
  afterEach(() => {
    chmodSync(directory, 0o700);
    rmSync(directory, { recursive: true, force: true });
  });

  it('shares one write among all that is appended while one is under way', async () => {
    const log = await open();
    const before = log.sequence;
    for (let i = 0; i < 100; i++) log.append([record(i)]);
    const first = log.flushed();
    await first;
    assert.equal(log.sequence, before + 1);
    await log.close();
    const read: LogRecord[] = [];
    await recover(directory, {
      fromCheckpoint: () => undefined,
      endCheckpoint: () => undefined,
      fromLog: (each) => read.push(each),
    });
    assert.equal(read.length, 100);
  });

  it('goes on without a checkpoint that cannot be written, and says so', async () => {
    const log = await open();
    // In the way of the checkpoint after the write with sequence number 2.
    mkdirSync(join(filePath(directory, 'checkpoint', 2), 'full'), { recursive: true });
    log.append(Array.from({ length: 300 }, (_, i) => record(i)));
    await log.flushed();
    await assert.rejects(log.checkpoint());
    assert.match(log.problem ?? '', /no checkpoint can be written/);
    log.append([record(1)]);
    await log.flushed();
    await log.close();
    assert.deepEqual(readdirSync(directory).filter((name) => name.startsWith('log')).length, 2);
  });

  it('takes nothing more after a write that failed', async () => {
    const log = await open();
    // In the way of the next file: the log cannot be continued.
    mkdirSync(filePath(directory, 'log', 2));
    await assert.rejects(log.checkpoint(), /EISDIR|cannot be written/);
    assert.throws(() => {
      log.append([record(1)]);
    }, /the store cannot be written/);
    await assert.rejects(log.flushed(), /the store cannot be written/);
    await assert.rejects(log.close(), /the store cannot be written/);
  });
});
