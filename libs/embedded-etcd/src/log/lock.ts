import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Takes a data directory for this process. The lock is SQLite's on a file: the operating system gives it back however the process ends, and it
 * holds between two users in one process too. Throws Error when the directory is in use.
 */
export function lockDirectory(directory: string): { readonly release: () => void } {
  const database = new DatabaseSync(join(directory, 'lock'), { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    const reason =
      error instanceof Error && error.message.includes('locked') ? 'in use by another process' : String(error);
    throw new Error(`embedded etcd: data directory ${directory} cannot be locked: ${reason}`, { cause: error });
  }
  return {
    release: () => {
      database.close();
    },
  };
}
