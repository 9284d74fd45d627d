import type { GroupResource } from '@apichain/meta';
import type { StorageCodec } from '@apichain/storage';

/** What a resource's store is opened with. */
export interface OpenStorage {
  /** Where the objects lie, e.g. `/pods`. */
  readonly prefix: string;
  readonly codec: StorageCodec;
  readonly resource: GroupResource;
  /** Field labels that lists and watches ask for a lot. */
  readonly indexFields: readonly string[];
}
