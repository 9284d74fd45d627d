import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadContents, type StoreContents } from './engine/contents.ts';
import { Engine } from './engine/engine.ts';
import { newIdentity } from './log/recover.ts';
import { Lessor } from './lease/lessor.ts';
import { memoryLog } from './log/commit-log.ts';
import { syncDirectory, writeAll } from './log/files.ts';
import { MvccStore } from './mvcc/mvcc-store.ts';
import { snapshotChunks } from './snapshot/snapshot-chunks.ts';

/**
 * Writes contents, e.g. of `readBackup`, as a snapshot that etcd's tools and `restoreDataDir` accept, with their revisions and leases. The file appears
 * under its name when it is complete and durable; an existing one is replaced. Throws Node's error when it cannot be written.
 */
export async function writeSnapshot(path: string, contents: StoreContents): Promise<void> {
  const store = new MvccStore();
  const lessor = new Lessor();
  loadContents(store, lessor, contents);
  const openLog = () => Promise.resolve(memoryLog());
  const identity = newIdentity();
  const engine = await Engine.open({ identity, store, lessor, openLog, quotaBytes: Infinity, expireLeases: false });
  const partial = `${path}.partial`;
  try {
    const file = await open(partial, 'w', 0o600);
    try {
      let offset = 0;
      for await (const { blob } of snapshotChunks(engine)) {
        await writeAll(file, blob, offset);
        offset += blob.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await engine.close();
  }
}
