import type { GroupVersionKind, JsonValue, KubeObject } from '@apichain/meta';

/**
 * The codec of `application/vnd.kubernetes.protobuf`, supplied by the server:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
export interface ProtobufCodec {
  /**
   * Decodes a body with its `k8s\0` envelope to a JSON value. apiVersion and kind are set, from `expected` where the envelope has none. Throws an
   * Error whose text is meant for the client, RequestEntityTooLarge for a body with more than `mostMembers` members.
   */
  decode(body: Buffer, expected?: GroupVersionKind, mostMembers?: number): JsonValue;
  /** As `decode`, without the zero values that JSON omits. Throws Error also for a kind without a known type. */
  decodeCanonical?(body: Buffer): unknown;
  /** Encodes an object or a list with its envelope. Throws a StatusError (406) for kinds that have no protobuf form. */
  encode(object: KubeObject): Buffer;
  /** An item as it stands in a list: field number, length and message. `list` has the kind of the list. Throws as `encode` does. */
  encodeListItem(list: KubeObject, item: KubeObject): Buffer;
  /** What stands around the items of a list, which have `itemsLength` bytes together. Throws as `encode` does. */
  encodeListFrame(list: KubeObject, itemsLength: number): { readonly before: Buffer; readonly after: Buffer };
  /** One frame of a watch: length prefix, meta/v1 WatchEvent, the object in its envelope. */
  encodeWatchEvent(type: string, object: KubeObject): Buffer;
}

const magic = Buffer.from('k8s\0', 'latin1');

/** Whether a body begins with the magic bytes of protobuf. A shorter body matches when it is a prefix of them. */
export const hasProtobufMagic = (body: Buffer): boolean =>
  body.compare(magic, 0, magic.length, 0, Math.min(magic.length, body.length)) === 0;
