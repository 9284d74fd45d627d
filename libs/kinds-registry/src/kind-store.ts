import type { StoredKinds } from '@apichain/api/stored-kinds';
import type { GetOptions, RegistryStore, UpdateRequest, Written } from '@apichain/apiserver';
import type { KubeObject } from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import {
  KeyNotFoundError,
  readStored,
  type Storage,
  type StorageListOptions,
  type StoredList,
  type StoredObject,
} from '@apichain/storage';

/** A stored object of a known kind. */
interface StoredAs<T extends KubeObject> extends StoredObject {
  parse(): T;
}

interface ListOf<T extends KubeObject> extends StoredList {
  readonly items: readonly StoredAs<T>[];
}

interface TypedStorage<T extends KubeObject> {
  get(key: string, options: { readonly resourceVersion: string }): Promise<StoredAs<T>>;
  list(prefix: string, options: StorageListOptions): Promise<ListOf<T>>;
}

interface TypedStore<T extends KubeObject> {
  readonly storage: TypedStorage<T> & Storage;
  get(ctx: RequestContext, name: string, options: GetOptions): Promise<StoredAs<T>>;
  update(
    ctx: RequestContext,
    name: string,
    update: (current: T | undefined) => T | Promise<T>,
    request: UpdateRequest,
  ): Promise<{ result: Written; created: boolean }>;
}

/** A store of objects of the type `T`. */
export type StoreOf<T extends KubeObject> = TypedStore<T> & RegistryStore;

/** The store of a built-in resource: what it reads and writes has the type of the kind in the storage version. */
export type KindStore<Resource extends keyof StoredKinds> = StoreOf<StoredKinds[Resource]>;

/** The storage below a KindStore. */
export type KindStorage<Resource extends keyof StoredKinds> = TypedStorage<StoredKinds[Resource]> & Storage;

/** The stores of a server by resource, `pods` or `deployments.apps`. Throws NotImplemented for a resource that is not enabled. */
export type KindStores = <Resource extends keyof StoredKinds>(resource: Resource) => KindStore<Resource>;

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
