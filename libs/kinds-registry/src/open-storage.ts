import type { GroupResource, GroupVersionKind } from '@apichain/meta';
import type { StorageCodec } from '@apichain/storage';

/** The options for opening the store of a resource. */
export interface OpenStorage {
  /** The prefix of the objects' keys, e.g. `/pods`. */
  readonly prefix: string;
  readonly codec: StorageCodec;
  readonly resource: GroupResource;
  /** The kind in the storage version. Absent = the store is not for clients. */
  readonly kind?: GroupVersionKind;
  /** Field labels that many lists and watches select by. */
  readonly indexFields: readonly string[];
}
