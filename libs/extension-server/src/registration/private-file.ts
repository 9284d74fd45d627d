import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage, hasErrorCode, makeDirectory } from '@apichain/meta';
import { RegistrationError } from './registration-error.ts';

/** The content of a file; undefined if there is none. Throws RegistrationError when it cannot be read. */
export function readPrivateFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw new RegistrationError(`${path} cannot be read: ${errorMessage(error)}`);
  }
}

/**
 * Writes a file that only this user can read, in one step: readers see the old or the new content. With `isNew`, an existing file is not changed
 * and the result is false. Throws RegistrationError when it cannot be written.
 */
export function writePrivateFile(path: string, text: string, { isNew }: { readonly isNew: boolean }): boolean {
  const partial = `${path}.${process.pid}`;
  try {
    makeDirectory(dirname(path), 0o700);
    rmSync(partial, { force: true });
    writeFileSync(partial, text, { mode: 0o600, flag: 'wx' });
    chmodSync(partial, 0o600);
    if (!isNew) renameSync(partial, path);
    // A link cannot replace a file.
    else linkSync(partial, path);
    return true;
  } catch (error) {
    if (isNew && hasErrorCode(error, 'EEXIST')) return false;
    throw new RegistrationError(
      `${path} cannot be written: ${errorMessage(error)}; --cert-dir names another directory`,
    );
  } finally {
    rmSync(partial, { force: true });
  }
}
