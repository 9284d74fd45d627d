import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorMessage } from '@apichain/meta';
import { StartupError } from './startup-error.ts';

/**
 * Writes a file atomically: first to a temporary file next to it, then renamed. Neither a full disk nor a concurrent reader leads to a partial file,
 * and the content never has the permissions of an earlier file. Throws StartupError when the file cannot be written.
 */
export function writeWholeFile(path: string, text: string | Buffer, mode: number): void {
  const partial = `${path}.${process.pid}`;
  try {
    rmSync(partial, { force: true });
    writeFileSync(partial, text, { mode, flag: 'wx' });
    chmodSync(partial, mode);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new StartupError(`${path} cannot be written: ${errorMessage(error)}`);
  }
}
