import { join } from 'node:path';
import type { AuthorityStore } from './authority-store.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/**
 * Keeps authorities in the file `serving-ca.pem` of a directory. The first writer of a new file wins. A replacement is not protected against
 * another one in the same instant, which can only happen to two servers that share the directory. ServingCertificate reads the authorities
 * again after it published them, so that both servers use the ones that remained.
 */
export function directoryStore(directory: string): AuthorityStore {
  const place = join(directory, 'serving-ca.pem');
  const read = () => {
    const text = readPrivateFile(place);
    return text === undefined ? undefined : { text, version: text };
  };
  return {
    place,
    read: async () => read(),
    write: async (text, version) => {
      if (version === undefined) return writePrivateFile(place, text, { isNew: true });
      return read()?.version === version && writePrivateFile(place, text, { isNew: false });
    },
  };
}
