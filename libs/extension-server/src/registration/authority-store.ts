import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/** What an authority store holds. */
interface StoredText {
  readonly text: string;
  /** Identifies this state of the store. */
  readonly version: string;
}

/** Keeps the authorities of a server, for its restarts and its replicas. */
export interface AuthorityStore {
  /** Where the authorities are, for messages. */
  readonly place: string;
  /** Undefined when nothing is stored yet. Throws RegistrationError when the store cannot be read. */
  read(): Promise<StoredText | undefined>;
  /**
   * Stores the text if nothing was written since `version` was read; undefined = if nothing is stored. False when another server was faster.
   * Throws RegistrationError when the store cannot be written.
   */
  write(text: string, version: string | undefined): Promise<boolean>;
}

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
