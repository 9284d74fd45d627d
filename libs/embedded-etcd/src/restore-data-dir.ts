import { open, readdir, readFile } from 'node:fs/promises';
import { makeDirectory } from '@apichain/meta/make-directory';
import { checkpointOf } from './engine/snapshot.ts';
import { filePath, syncDirectory, writeAll } from './log/files.ts';

/**
 * Creates a data directory from a snapshot that `etcdctl snapshot save` (the Maintenance service) made of an embedded etcd. Throws Error when the
 * snapshot is incomplete or the directory is not empty.
 */
export async function restoreDataDir(options: { readonly snapshot: string; readonly dataDir: string }): Promise<void> {
  const { snapshot, dataDir } = options;
  const checkpoint = checkpointOf(snapshot, await readFile(snapshot));
  makeDirectory(dataDir, 0o700);
  if ((await readdir(dataDir)).length > 0) throw new Error(`embedded etcd: ${dataDir} is not empty`);
  const handle = await open(filePath(dataDir, 'checkpoint', 1), 'wx', 0o600);
  try {
    await writeAll(handle, checkpoint, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(dataDir);
}
