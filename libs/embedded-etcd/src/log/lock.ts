import { join } from 'node:path';

/**
 * Locks a data directory for this process. Uses SQLite's lock on a file: the operating system releases it however the process ends, and it also
 * excludes a second user in the same process. Throws Error when the directory is in use.
 */
export function lockDirectory(directory: string): { readonly release: () => void } {
  // Loaded with the first lock: a store in memory has none, and SQLite would take 1 MB of its process.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
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
