import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and its missing parents; an existing directory is not changed. `mode` is for new directories. Throws Node's error on
 * failure. Node's own `recursive` option never returns if creating a directory in an existing parent fails with ENOENT, as below /proc.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made the directory in the meantime.
    if (!isDirectory(path)) throw error;
  }
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // The path cannot be examined. Making the directory throws the reason.
    return false;
  }
};
