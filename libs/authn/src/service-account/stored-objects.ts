import { newNotFound, type KubeObject } from '@apichain/meta';
import { KeyNotFoundError, readStored, type ResourceStore, type ResourceStores, type Storage } from '@apichain/storage';
import { lookUp, type TokenSecrets } from './object-lookup.ts';

/** Reads the objects that a token refers to from the store, for a server that cannot reach a server that serves them. */
export class StoredTokenObjects implements TokenSecrets {
  readonly #stores: ResourceStores<Storage>;

  constructor(stores: ResourceStores<Storage>) {
    this.#stores = stores;
  }

  /** While etcd is unavailable, objects come from the watch cache. */
  async get(resource: string, namespace: string, name: string): Promise<KubeObject> {
    return lookUp(resource, name, async (query) => {
      const { storage, key } = this.#at(resource, namespace, name);
      try {
        return await readStored(await storage.get(key, { resourceVersion: query?.resourceVersion ?? '' }));
      } catch (error) {
        throw error instanceof KeyNotFoundError ? newNotFound({ group: '', resource }, name) : error;
      }
    });
  }

  async labelSecret({ metadata }: KubeObject, labels: Readonly<Record<string, string>>): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    const { storage, key } = this.#at('secrets', namespace, name);
    await storage.guaranteedUpdate(key, {
      ignoreNotFound: false,
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      tryUpdate: async (current) => {
        if (current === undefined) throw new KeyNotFoundError(key);
        const object = await readStored(current);
        return {
          object: { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } },
        };
      },
    });
  }

  #at(
    resource: string,
    namespace: string,
    name: string,
  ): Pick<ResourceStore<Storage>, 'storage'> & { readonly key: string } {
    const store = this.#stores({ group: '', resource });
    // A slash would lead to another object than the named one.
    if (store === undefined || name === '' || name.includes('/') || namespace.includes('/'))
      throw newNotFound({ group: '', resource }, name);
    const { storage, prefix } = store;
    return { storage, key: namespace === '' ? `${prefix}/${name}` : `${prefix}/${namespace}/${name}` };
  }
}
