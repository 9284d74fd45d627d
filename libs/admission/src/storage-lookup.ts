import { BoundedCache, pause, type GroupResource, type KubeObject } from '@apichain/meta';
import {
  KeyNotFoundError,
  listEverything,
  readStored,
  type ObjectAttributes,
  type ResourceStores,
  type StoredObject,
} from '@apichain/storage';
import type { ObjectLookup } from './object-lookup.ts';

const fromCache = { resourceVersion: '0' } as const;
const fromStore = { resourceVersion: '' } as const;

/** The objects that are kept after they were parsed, in bytes of JSON. Clients may make them large, and an object takes several times its JSON. */
const keptBytes = 4 * 1024 * 1024;
const keptObjects = 10_000;

/**
 * Looks objects up in the stores of this process. An object is parsed when it is needed, a large one in steps. Small ones are kept, up to a bound, until another version of
 * them is read.
 */
export class StorageLookup implements ObjectLookup {
  readonly #open: ResourceStores;
  readonly #parsed = new BoundedCache<{ readonly stored: StoredObject; readonly object: KubeObject }>({
    maxEntries: keptObjects,
    maxCharacters: keptBytes,
  });

  /** `open` is called for every lookup; undefined = the resource is not served. */
  constructor(open: ResourceStores) {
    this.#open = open;
  }

  get(resource: GroupResource, namespace: string, name: string): Promise<KubeObject | undefined> {
    return this.#one(resource, namespace, name, fromCache);
  }

  live(resource: GroupResource, namespace: string, name: string): Promise<KubeObject | undefined> {
    return this.#one(resource, namespace, name, fromStore);
  }

  /** Reads the store first, because the watch may begin with a state of the cache that is slightly stale. */
  async created(
    resource: GroupResource,
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    const found = await this.live(resource, namespace, name);
    const store = this.#open(resource);
    if (found !== undefined || store === undefined) return found;
    const predicate = {
      matches: (object: ObjectAttributes) => object.name === name,
      everything: false,
      exactFields: {},
    };
    const options = { ...fromCache, predicate, allowWatchBookmarks: false, prompt: true, signal };
    const stream = await store.storage.watch(`${store.prefix}/${namespace}/`, options);
    try {
      for (let events = await stream.next(); events !== undefined; events = await stream.next())
        for (const { type, object } of events)
          if (object !== undefined && (type === 'ADDED' || type === 'MODIFIED')) return this.#parse(object);
      return undefined;
    } finally {
      stream.stop();
    }
  }

  async list(resource: GroupResource, namespace: string): Promise<readonly KubeObject[]> {
    const store = this.#open(resource);
    if (store === undefined) return [];
    const directory = namespace === '' ? `${store.prefix}/` : `${store.prefix}/${namespace}/`;
    const { items } = await store.storage.list(directory, {
      ...listEverything,
      ...fromCache,
    });
    const objects: KubeObject[] = [];
    for (const item of items) {
      objects.push(await this.#parse(item));
      await pause();
    }
    return objects;
  }

  async #one(
    resource: GroupResource,
    namespace: string,
    name: string,
    options: { readonly resourceVersion: string },
  ): Promise<KubeObject | undefined> {
    const store = this.#open(resource);
    // A name with a slash would be the key of a different object.
    if (store === undefined || name === '' || name.includes('/')) return undefined;
    const key = namespace === '' ? `${store.prefix}/${name}` : `${store.prefix}/${namespace}/${name}`;
    try {
      return await this.#parse(await store.storage.get(key, options));
    } catch (error) {
      if (error instanceof KeyNotFoundError) return undefined;
      throw error;
    }
  }

  async #parse(stored: StoredObject): Promise<KubeObject> {
    const kept = this.#parsed.get(stored.key);
    if (kept?.stored === stored) return kept.object;
    const object = await readStored(stored);
    this.#parsed.set(stored.key, { stored, object }, stored.json.length);
    return object;
  }
}
