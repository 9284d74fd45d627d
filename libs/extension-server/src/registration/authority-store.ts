import { join } from 'node:path';
import type { RestClient } from '@apichain/client';
import { isStatusError, record, text, type KubeObject } from '@apichain/meta';
import { readPrivateFile, writePrivateFile } from './private-file.ts';
import { fieldManager, isRegisteredFor, registrationLabels } from './registered-objects.ts';
import { callError, RegistrationError } from './registration-error.ts';

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

const dataKey = 'serving-ca.pem';

/**
 * Keeps authorities in the Secret `SERVER-serving-ca`, for servers with several replicas. It is created and updated, not applied: a create
 * fails when the Secret exists, and an update when its resourceVersion has changed. So exactly one replica makes each authority, and the
 * others use it.
 */
export function secretStore(client: RestClient, server: string, namespace: string): AuthorityStore {
  const secrets = { group: '', version: 'v1', resource: 'secrets', namespace };
  const name = `${server}-serving-ca`;
  const place = `Secret ${namespace}/${name}`;
  const query = { fieldManager };
  const contentOf = (pem: string) => ({ data: { [dataKey]: Buffer.from(pem).toString('base64') } });

  const read = async (): Promise<KubeObject | undefined> => {
    try {
      return await client.get(secrets, name);
    } catch (error) {
      if (isStatusError(error) && error.code === 404) return undefined;
      throw callError(`cannot read ${place}`, error);
    }
  };
  return {
    place,
    read: async () => {
      const secret = await read();
      if (secret === undefined) return undefined;
      if (!isRegisteredFor(server, secret))
        throw new RegistrationError(`${place} exists and was not made for "${server}": delete it or rename the server`);
      const pem = Buffer.from(text(record(secret['data'])[dataKey]), 'base64').toString('utf8');
      return { text: pem, version: secret.metadata.resourceVersion ?? '' };
    },
    write: async (pem, version) => {
      const metadata = { name, namespace, labels: registrationLabels(server) };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', ...contentOf(pem) };
      try {
        if (version === undefined) await client.create(secrets, secret, query);
        else {
          const resourceVersion = version;
          await client.update(secrets, { ...secret, metadata: { ...metadata, resourceVersion } }, { query });
        }
        return true;
      } catch (error) {
        // 409: another replica was faster. 404: the Secret was deleted in the meantime, or its namespace does not exist.
        const isLost = isStatusError(error) && (error.code === 409 || (error.code === 404 && version !== undefined));
        if (isLost) return false;
        throw callError(`cannot write ${place}`, error);
      }
    },
  };
}
