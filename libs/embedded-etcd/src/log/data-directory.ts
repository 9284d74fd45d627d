import { readdirSync } from 'node:fs';
import { isDataFile } from './files.ts';

/** Whether a directory contains the data of an embedded etcd. Opens no file, so it can be called before the library is loaded. */
export function isEmbeddedEtcdDirectory(directory: string): boolean {
  try {
    return readdirSync(directory).some(isDataFile);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}
