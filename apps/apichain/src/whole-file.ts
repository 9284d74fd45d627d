import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { StartupError } from './startup-error.ts';

/**
 * Writes a file that is there as a whole or as it was before: beside it first, then in its place, so that neither a full disk nor a reader
 * ever sees half of it. Throws StartupError when it cannot be written.
 */
export function writeWholeFile(path: string, text: string | Buffer, mode: number): void {
  const partial = `${path}.${process.pid}`;
  try {
    writeFileSync(partial, text, { mode });
    chmodSync(partial, mode);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new StartupError(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
