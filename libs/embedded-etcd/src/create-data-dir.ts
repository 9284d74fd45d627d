import { open, readdir } from 'node:fs/promises';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';
import { makeDirectory } from '@apichain/meta/make-directory';
import { loadInto } from './engine/load.ts';
import { Lessor } from './lease/lessor.ts';
import { checkpointFrames } from './log/checkpoint.ts';
import { filePath, writeAll, syncDirectory } from './log/files.ts';
import { writeManifest } from './log/manifest.ts';
import { type RecordSink, newIdentity, readCheckpoint } from './log/recover.ts';
import { keyOf } from './mvcc/key-range.ts';
import { MvccStore } from './mvcc/mvcc-store.ts';
import { readSnapshot } from './backup/backup.ts';

/** The contents of another etcd at one revision. */
export interface ForeignContents {
  readonly revision: number;
  /** `ttl`: the remaining time to live, in seconds. */
  readonly leases: readonly { readonly id: string; readonly ttl: number }[];
  /** In key order. */
  readonly keys: AsyncIterable<KeyValue>;
}

/** Throws Error unless the directory is empty; creates it if it does not exist. */
export async function claimDirectory(directory: string): Promise<void> {
  makeDirectory(directory, 0o700);
  if ((await readdir(directory)).length > 0) throw new Error(`embedded etcd: ${directory} is not empty`);
}

/** Writes the checkpoint that an empty data directory begins with, durably. */
export async function writeFirstCheckpoint(directory: string, frames: Iterable<Buffer>): Promise<void> {
  const handle = await open(filePath(directory, 'checkpoint', 1), 'wx', 0o600);
  try {
    let at = 0;
    for (const frame of frames) {
      await writeAll(handle, frame, at);
      at += frame.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes the contents that `load` passes to its argument into an empty directory, as those of a new store. */
export async function writeDataDir(directory: string, load: (sink: RecordSink) => Promise<void> | void): Promise<void> {
  const store = new MvccStore();
  const lessor = new Lessor();
  await load(loadInto(store, lessor));
  await writeStore(directory, store, lessor);
}

/** Writes a store into an empty directory, as a new store. */
export async function writeStore(directory: string, store: MvccStore, lessor: Lessor): Promise<void> {
  const leases = lessor.list().map(({ id, ttl }) => ({ id, ttl }));
  const { head: revision, compactRevision } = store;
  const view = {
    ...newIdentity(),
    revision,
    compactRevision,
    alarms: [],
    leases,
    hold: () => store.hold(),
    tree: store.cloneTree(),
  };
  await writeFirstCheckpoint(directory, checkpointFrames(view));
  await writeManifest(directory, { format: 1, clusterId: view.clusterId, sequence: 1 });
}

/**
 * Creates a data directory that continues from the state of another etcd: same revisions, same versions, history before `revision` compacted. The
 * directory is complete and durable when the promise resolves. Throws Error when the directory is not empty.
 */
export async function createDataDir(directory: string, contents: ForeignContents): Promise<void> {
  await claimDirectory(directory);
  const { revision, leases, keys } = contents;
  await writeDataDir(directory, async (sink) => {
    sink.fromCheckpoint({ kind: 'head', revision, compactRevision: revision });
    for (const { id, ttl } of leases) sink.fromCheckpoint({ kind: 'grant', id, ttl });
    for await (const kv of keys)
      sink.fromCheckpoint({ kind: 'version', version: { key: keyOf(kv.key), kv, sub: 0, deleted: false } });
    sink.endCheckpoint();
  });
}

/**
 * Creates a data directory from a snapshot that `etcdctl snapshot save` (the Maintenance service) made of an embedded etcd, in its present form or the
 * former one, or of a real etcd. Revisions, leases and the history since the last compaction are those of the snapshot. Throws Error when the snapshot
 * is incomplete or the directory is not empty.
 */
export async function restoreDataDir(options: { readonly snapshot: string; readonly dataDir: string }): Promise<void> {
  const { snapshot: path, dataDir } = options;
  const snapshot = await readSnapshot(path);
  if ('checkpoint' in snapshot) readCheckpoint(path, snapshot.checkpoint, () => undefined);
  await claimDirectory(dataDir);
  if ('checkpoint' in snapshot) {
    await writeFirstCheckpoint(dataDir, [snapshot.checkpoint]);
    await syncDirectory(dataDir);
  } else {
    await writeDataDir(dataDir, (sink) => {
      snapshot.load(sink);
    });
  }
}
