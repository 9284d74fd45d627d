import {
  errorMessage,
  newReadOnly,
  newStorageReadError,
  parseJson,
  stringifyJson,
  type GroupResource,
  type GroupVersionKind,
  formatGroupVersion,
  type KubeObject,
} from '@apichain/meta';
import { encryptionOf, type Storage, type StoredObject, type StoredView } from '@apichain/storage';

/** The servers show what is stored, e.g. a backup, and never write: https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/ */
export interface ReadOnlyServing {
  /** What clients get instead of an object of a resource, e.g. a Secret without its values. Undefined = the object itself. */
  readonly shown?: (resource: GroupResource) => ((object: KubeObject) => KubeObject) | undefined;
}

/** The annotation of an object that stands in lists for one that cannot be read. Its value says why. */
const unreadableAnnotation = 'apichain/unreadable';

/** The store whose values are shown. */
interface ShownStore {
  /** Whether values are decrypted. */
  readonly decrypts: boolean;
  /** The prefix of the objects' keys without a trailing slash, e.g. `/pods`. */
  readonly prefix: string;
  readonly resource: GroupResource;
  /** In the storage version. */
  readonly kind?: GroupVersionKind;
}

/** How the values of a store are shown. */
export function readOnlyView({ shown }: ReadOnlyServing, { prefix, resource, kind, decrypts }: ShownStore): StoredView {
  const show = shown?.(resource);
  return {
    standIn: (key, value, error) => {
      const reason = reasonOf(value, error, decrypts);
      const [last = '', namespace] = key
        .slice(prefix.length + 1)
        .split('/')
        .toReversed();
      const standIn: KubeObject = {
        kind: kind?.kind ?? '',
        apiVersion: kind === undefined ? '' : formatGroupVersion(kind),
        metadata: {
          name: last,
          namespace,
          annotations: { [unreadableAnnotation]: reason },
        },
      };
      return { json: Buffer.from(stringifyJson(standIn)), reason };
    },
    ...(show === undefined
      ? {}
      : { show: (json: Buffer) => Buffer.from(stringifyJson(show(parseJson(json) as KubeObject))) }),
  };
}

/** Why a value cannot be read, in a few words and without anything of the value. */
function reasonOf(value: Buffer, error: unknown, decrypts: boolean): string {
  const encryption = encryptionOf(value);
  if (encryption === undefined) return `it cannot be decoded: ${errorMessage(error)}`;
  return decrypts
    ? `it is encrypted at rest (${encryption}) and cannot be decrypted: ${errorMessage(error)}`
    : `it is encrypted at rest (${encryption}): open it with the --encryption-provider-config of its cluster`;
}

/** A store without writes, and with a clear error for a single object that cannot be read. Lists show a stand-in for such an object. */
export function readOnlyStorage(storage: Storage, resource: GroupResource): Storage {
  const refuse = (action: string, key: string): Promise<never> =>
    Promise.reject(newReadOnly(resource, lastPart(key), action));
  const readable = (object: StoredObject): StoredObject => {
    if (object.unreadable === undefined) return object;
    throw newStorageReadError(resource, lastPart(object.key), object.unreadable);
  };
  return {
    get: async (key, options) => readable(await storage.get(key, options)),
    list: (directory, options) => storage.list(directory, options),
    watch: (directory, options) => storage.watch(directory, options),
    count: (directory) => storage.count(directory),
    currentRevision: () => storage.currentRevision(),
    cachedCopy: (key) => storage.cachedCopy(key),
    get cacheState() {
      return storage.cacheState;
    },
    create: (key) => refuse('create', key),
    guaranteedUpdate: (key) => refuse('update', key),
    delete: (key) => refuse('delete', key),
    close: () => storage.close(),
  };
}

const lastPart = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
