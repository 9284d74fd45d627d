import type { KubeObject } from '@apichain/meta';
import { takePlaceForDocument } from '@apichain/request';
import { readStored, type StoredObject } from '@apichain/storage';

/**
 * Parses the object that a request changes or deletes. A large one is parsed in steps, when the user of the request has a place for it. The object in etcd
 * may change meanwhile.
 */
export async function readForChange(stored: StoredObject): Promise<KubeObject> {
  const line = takePlaceForDocument(stored.json.length);
  if (line !== undefined) await line;
  return readStored(stored);
}
