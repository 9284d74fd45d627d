import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import { FailingDisk } from './failing-disk.fixture.ts';
import { FileLog } from './file-log.ts';
import { filePath } from './files.ts';
import { recover } from './recover.ts';
import type { LogRecord } from './record.ts';

describe('the log of the embedded etcd', () => {
  let directory: string;
  const identity = { clusterId: '1', memberId: '2' };
  const record = (revision: number): LogRecord => ({ kind: 'compact', revision });
  const store = new MvccStore();
  const open = (disk?: FailingDisk, onProblem?: (problem: string | undefined) => void) =>
    FileLog.open({
      ...(disk === undefined ? {} : { openFile: disk.open }),
      ...(onProblem === undefined ? {} : { onProblem }),
      directory,
      identity,
      position: { identity, sequence: 0, path: undefined, length: 0, checkpointBytes: 0 },
      view: () => ({
        ...identity,
        revision: 1,
        compactRevision: -1,
        alarms: [],
        leases: [],
        hold: () => store.hold(),
        tree: store.cloneTree(),
      }),
      checkpointBytes: 1_000,
    });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-log-'));
  });
  afterEach(() => {
    chmodSync(directory, 0o700);
    rmSync(directory, { recursive: true, force: true });
  });

  it('writes all records together that are appended during a write', async () => {
    const log = await open();
    const before = log.sequence;
    for (let i = 0; i < 100; i++) log.append([record(i)], noUndo);
    const first = log.flushed();
    await first;
    assert.equal(log.sequence, before + 1);
    await log.close();
    assert.equal((await recordsOf(directory)).length, 100);
  });

  it('continues without a checkpoint that cannot be written, and reports the problem', async () => {
    const log = await open();
    // Blocks the path of the checkpoint after the write with sequence number 2.
    mkdirSync(join(filePath(directory, 'checkpoint', 2), 'full'), { recursive: true });
    log.append(
      Array.from({ length: 300 }, (_, i) => record(i)),
      noUndo,
    );
    await log.flushed();
    await assert.rejects(log.checkpoint());
    assert.match(log.problem ?? '', /no checkpoint can be written/);
    log.append([record(1)], noUndo);
    await log.flushed();
    await log.close();
    assert.deepEqual(readdirSync(directory).filter((name) => name.startsWith('log')).length, 2);
  });

  it('refuses and reverts records that cannot be written, and resumes when there is space again', async () => {
    const disk = new FailingDisk();
    const problems: (string | undefined)[] = [];
    const log = await open(disk, (problem) => problems.push(problem));
    const undone: number[] = [];
    const append = (revision: number) => {
      log.append([record(revision)], () => undone.push(revision));
    };
    append(1);
    await log.flushed();
    for (const code of ['ENOSPC', 'EIO']) {
      disk.failure = code;
      append(2);
      append(3);
      const refused = log.flushed();
      await assert.rejects(refused, code === 'EIO' ? /the store cannot be written: EIO/ : /no space left/);
      assert.deepEqual(undone.splice(0), [3, 2], 'what came last is taken back first');
      assert.match(log.problem ?? '', /no space left|EIO/);
      disk.failure = undefined;
    }
    append(4);
    await log.flushed();
    assert.equal(log.problem, undefined);
    assert.deepEqual(
      problems.map((problem) => problem?.replace(/.*(no space|EIO).*/, '$1')),
      ['no space', 'EIO', undefined],
    );
    await log.close();
    assert.deepEqual(await recordsOf(directory), [record(1), record(4)]);
  });

  it('removes all bytes of a failed write before it is reported', async () => {
    const disk = new FailingDisk();
    const log = await open(disk);
    log.append([record(1)], noUndo);
    await log.flushed();
    disk.failure = 'ENOSPC';
    log.append([record(2)], noUndo);
    await assert.rejects(log.flushed());
    // The state that a process would find at start.
    assert.deepEqual(await recordsOf(directory), [record(1)]);
    disk.failure = undefined;
    await log.close();
  });

  it('continues in its file when the next one cannot be created', async () => {
    const disk = new FailingDisk();
    const log = await open(disk);
    log.append([record(1)], noUndo);
    await log.flushed();
    disk.failsToOpen = true;
    await assert.rejects(log.checkpoint(), /ENOSPC/);
    log.append([record(2)], noUndo);
    await log.flushed();
    disk.failsToOpen = false;
    disk.failure = 'ENOSPC';
    await assert.rejects(log.checkpoint(), /ENOSPC/);
    disk.failure = undefined;
    log.append([record(3)], noUndo);
    await log.flushed();
    await log.checkpoint();
    assert.equal(log.problem, undefined);
    log.append([record(4)], noUndo);
    await log.close();
    assert.deepEqual(await recordsOf(directory), [record(4)], 'the others are in the checkpoint');
  });
});

const noUndo = (): void => undefined;

async function recordsOf(directory: string): Promise<LogRecord[]> {
  const read: LogRecord[] = [];
  await recover(directory, {
    fromCheckpoint: () => undefined,
    endCheckpoint: () => undefined,
    fromLog: (each) => read.push(each),
  });
  return read;
}
