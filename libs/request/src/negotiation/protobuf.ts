import type { GroupVersionKind, JsonValue, KubeObject, Work } from '@apichain/meta';

/**
 * `application/vnd.kubernetes.protobuf`, plugged in by the server: https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
export interface ProtobufCodec {
  /**
   * A body with its `k8s\0` envelope as a JSON value, apiVersion and kind set, from `expected` where the envelope has none.
   * Throws an Error with the client's text.
   */
  decode(body: Buffer, expected?: GroupVersionKind): JsonValue;
  /** The same in steps, for long bodies. RequestEntityTooLarge for one of more members than a document may have. */
  decodeInSteps?(body: Buffer, expected?: GroupVersionKind): Work<JsonValue>;
  /** As `decode`, without the zero values that JSON leaves out. Throws Error also for a kind without a known type. */
  decodeCanonical?(body: Buffer): unknown;
  /** An object or a list with its envelope. Throws a StatusError (406) for kinds that have no protobuf form. */
  encode(object: KubeObject): Buffer;
  /** One frame of a watch: length prefix, meta/v1 WatchEvent, the object in its envelope. */
  encodeWatchEvent(type: string, object: KubeObject): Buffer;
}

const magic = Buffer.from('k8s\0', 'latin1');

/** Whether a body begins as protobuf does. A shorter one is taken for the beginning of it. */
export const hasProtobufMagic = (body: Buffer): boolean =>
  body.compare(magic, 0, magic.length, 0, Math.min(magic.length, body.length)) === 0;
