import type { GroupVersionKind } from '@apichain/meta';
import { jsonCodec, type StorageCodec } from '@apichain/storage';
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
