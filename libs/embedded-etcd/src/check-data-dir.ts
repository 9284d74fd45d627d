import { lockDirectory } from './log/lock.ts';
import { recover } from './log/recover.ts';

/**
 * Reads a data directory as a start does, including the cleanup of a write that a crash interrupted. Throws Error with a one-line message when the
 * directory is in use or damaged.
 */
export async function checkDataDir(
  directory: string,
): Promise<{ readonly records: number; readonly revision: number }> {
  const lock = lockDirectory(directory);
  let records = 0;
  let revision = 1;
  const count = (record: { readonly kind: string; readonly revision?: number }) => {
    records++;
    if (record.kind === 'head') revision = Math.max(revision, record.revision ?? 0);
  };
  try {
    await recover(directory, {
      fromCheckpoint: count,
      endCheckpoint: () => undefined,
      fromLog: (record) => {
        records++;
        if (record.kind === 'version') revision = Math.max(revision, record.version.kv.modRevision);
      },
    });
    return { records, revision };
  } finally {
    lock.release();
  }
}
