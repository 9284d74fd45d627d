import { claimDirectory, writeDataDir, writeFirstCheckpoint } from './create-data-dir.ts';
import { readSnapshot } from './backup/backup.ts';
import { syncDirectory } from './log/files.ts';
import { readCheckpoint } from './log/recover.ts';

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
