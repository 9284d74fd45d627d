import { parseJson, type KubeObject } from '@apichain/meta';
import { metadataAttributes } from './codec.ts';
import type { StorageCodec } from './storage.ts';
import { EncodedObject } from './stored-object.ts';

/** How a server that only reads shows stored values. */
export interface StoredView {
  /** The JSON that clients get instead of the JSON of an object, e.g. without secrets. */
  readonly show?: (json: Buffer) => Buffer;
  /** What stands in lists for a value that cannot be decrypted or decoded. `key` is below the prefix of all keys. */
  readonly standIn: (key: string, value: Buffer, error: unknown) => StandIn;
}

/** An object in place of an unreadable value. It has the name that its key says, and nothing of the value. */
export interface StandIn {
  readonly json: Buffer;
  /** Why the value cannot be read, in a few words. */
  readonly reason: string;
}

/** Stands for a value that cannot be read. */
export class UnreadableObject extends EncodedObject {
  readonly unreadable: string;

  constructor(codec: StorageCodec, key: string, revision: number, { json, reason }: StandIn) {
    // Selectable fields of the kind cannot be told: the object has none of them.
    const attributes = metadataAttributes(parseJson(json) as KubeObject);
    super(codec, key, revision, codec.decode(json, revision), attributes);
    this.unreadable = reason;
  }
}
