import { open, readdir } from 'node:fs/promises';
import { makeDirectory } from '@apichain/meta/make-directory';
import { loadInto } from './engine/load.ts';
import { newIdentity } from './engine/identity.ts';
import type { KeyValue } from './generated/kv.ts';
import { Lessor } from './lease/lessor.ts';
import { checkpointFrames } from './log/checkpoint.ts';
import { filePath, writeAll } from './log/files.ts';
import { writeManifest } from './log/manifest.ts';
import { keyOf } from './mvcc/key-range.ts';
import { MvccStore } from './mvcc/mvcc-store.ts';

/** The contents of another etcd at one revision. */
export interface ForeignContents {
  readonly revision: number;
  /** `ttl`: the remaining time to live, in seconds. */
  readonly leases: readonly { readonly id: string; readonly ttl: number }[];
  /** In key order. */
  readonly keys: AsyncIterable<KeyValue>;
}

/**
 * Creates a data directory that continues from the state of another etcd: same revisions, same versions, history before `revision` compacted. The
 * directory is complete and durable when the promise resolves. Throws Error when the directory is not empty.
 */
export async function createDataDir(directory: string, contents: ForeignContents): Promise<void> {
  makeDirectory(directory, 0o700);
  if ((await readdir(directory)).length > 0) throw new Error(`embedded etcd: ${directory} is not empty`);
  const { revision, leases } = contents;
  const store = new MvccStore();
  const sink = loadInto(store, new Lessor());
  sink.fromCheckpoint({ kind: 'head', revision, compactRevision: revision });
  for await (const kv of contents.keys)
    sink.fromCheckpoint({ kind: 'version', version: { key: keyOf(kv.key), kv, sub: 0, deleted: false } });
  sink.endCheckpoint();
  const view = { ...newIdentity(), revision, compactRevision: revision, leases, tree: store.cloneTree() };
  const handle = await open(filePath(directory, 'checkpoint', 1), 'wx', 0o600);
  try {
    let at = 0;
    for (const frame of checkpointFrames(view)) {
      await writeAll(handle, frame, at);
      at += frame.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await writeManifest(directory, { format: 1, clusterId: view.clusterId, sequence: 1 });
}
