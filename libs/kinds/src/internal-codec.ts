import { formatGroupVersion, isRecord, parseJson, type GroupVersionKind, type KubeObject } from '@apichain/meta';
import { canonicalize } from '@apichain/scheme';
import { jsonCodec, type StorageCodec } from '@apichain/storage';
import { requireType } from './create-only.ts';
import { foreignReader, protobufMediaType, storedProtobuf, type StorageMediaType } from './protobuf.ts';

/**
 * The codec of a built-in kind that servers keep in etcd for themselves, without an API: ranges of node ports, leases of the `kubernetes` service.
 * Values of kube-apiserver are read in both of its forms; values are written in `mediaType`, JSON by default. Throws Error for an unknown kind.
 */
export const internalCodec = (kind: GroupVersionKind, mediaType?: StorageMediaType): StorageCodec =>
  jsonCodec({
    fromForeign: foreignReader(kind),
    ...(mediaType === protobufMediaType ? { storedForm: storedProtobuf } : {}),
  });

/**
 * Decodes a stored object of a built-in kind that no server serves, in JSON or protobuf. `hub` is the kind in the storage version. Objects that differ
 * only in the form in which they are stored are equal. JSON of another version keeps its version. Throws Error when the value is no object.
 */
export function storedObject(value: Buffer, hub: GroupVersionKind): KubeObject {
  const foreign = foreignReader(hub)(value);
  if (foreign !== undefined) return foreign;
  const parsed = parseJson(value);
  if (!isRecord(parsed) || !isRecord(parsed.metadata)) throw new Error('it is no object with metadata');
  const { apiVersion, metadata } = parsed;
  if (apiVersion !== formatGroupVersion(hub)) return parsed as KubeObject;
  return { ...canonicalize({ ...parsed, metadata }, requireType(hub)), apiVersion, kind: hub.kind, metadata };
}
