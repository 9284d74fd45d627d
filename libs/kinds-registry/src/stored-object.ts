import type { StoredKinds } from '@apichain/api/stored-kinds';
import { KeyNotFoundError, readStored } from '@apichain/storage';
import type { KindStore } from './kind-store.ts';

/** A cluster-scoped object, read from the store; undefined when it does not exist. */
export async function storedObject<Resource extends keyof StoredKinds>(
  { storage, layout }: KindStore<Resource>,
  name: string,
): Promise<StoredKinds[Resource] | undefined> {
  try {
    return await readStored(await storage.get(`${layout.prefix}/${name}`, { resourceVersion: '' }));
  } catch (error) {
    if (error instanceof KeyNotFoundError) return undefined;
    throw error;
  }
}
