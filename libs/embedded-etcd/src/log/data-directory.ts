import { readdirSync } from 'node:fs';
import { isDataFile } from './files.ts';

/** Whether a directory holds the data of an embedded etcd. Opens nothing, so that it may be asked before the library is loaded. */
export function isEmbeddedEtcdDirectory(directory: string): boolean {
  try {
    return readdirSync(directory).some(isDataFile);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}
