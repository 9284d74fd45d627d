import type { RegistryStore } from '@apichain/apiserver';
import type { KubeObject } from '@apichain/meta';
import { KeyNotFoundError } from '@apichain/storage';

/** A cluster-scoped object as it is stored now; undefined when there is none. */
export async function storedObject({ storage, layout }: RegistryStore, name: string): Promise<KubeObject | undefined> {
  try {
    return (await storage.get(`${layout.prefix}/${name}`, { resourceVersion: '' })).parse();
  } catch (error) {
    if (error instanceof KeyNotFoundError) return undefined;
    throw error;
  }
}
