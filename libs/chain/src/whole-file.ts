import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorMessage } from '@apichain/meta';
import { StartupError } from './startup-error.ts';

/**
 * Writes a file that is there as a whole or as it was before: beside it first, then in its place, so that neither a full disk nor a reader
 * ever sees half of it, and nobody reads it with the rights that an earlier file gave. Throws StartupError when it cannot be written.
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
