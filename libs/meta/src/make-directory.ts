import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it that are missing; one that is there is left alone. `mode` is for those that are made. Throws Node's
 * error when it cannot. Node's own `recursive` never comes back where a directory says that it does not exist when one is made in it, as
 * below /proc.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else was faster.
    if (!isDirectory(path)) throw error;
  }
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Not to be looked at: whoever makes it is told why.
    return false;
  }
};
