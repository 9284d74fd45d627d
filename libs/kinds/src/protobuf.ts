import { formatGroupVersion, type GroupVersionKind, type KubeObject, type ObjectMeta } from '@apichain/meta';
import { canonicalize, hasProtobufMagic, ProtobufCodec } from '@apichain/scheme';
import type { StoredForm } from '@apichain/storage';
import { convertFromHub, convertToHub } from './conversions/hub.ts';
import { requireType } from './create-only.ts';
import { defaulterFor } from './defaults/index.ts';
import { builtinType } from './types.ts';

/** Discovery documents of the core group, which carry no version. */
const withoutVersion: readonly string[] = ['APIVersions', 'APIResourceList'];

/** The codec for `application/vnd.kubernetes.protobuf` of every built-in kind. */
export const builtinProtobuf = new ProtobufCodec({
  typeOf: (kind) =>
    builtinType(kind.version === '' && withoutVersion.includes(kind.kind) ? { ...kind, version: 'v1' } : kind),
});

const asObject = (fields: Record<string, unknown>, apiVersion: string, kind: string): KubeObject => {
  const metadata: ObjectMeta = fields.metadata ?? {};
  return { ...fields, apiVersion, kind, metadata };
};

const jsonMediaType = 'application/json';
/** The media type of built-in kinds in protobuf. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** The forms in which objects may be stored. */
export const storageMediaTypes = [jsonMediaType, protobufMediaType] as const;
/** A value of `--storage-media-type`. */
export type StorageMediaType = (typeof storageMediaTypes)[number];

/** The default storage format of kube-apiserver; `foreignReader` reads it. */
export const storedProtobuf: StoredForm = {
  encode: (object) => builtinProtobuf.encode(object),
  has: hasProtobufMagic,
};

/**
 * Decodes values that another API server stored as protobuf, in any version, as objects of the storage version `hub`;
 * undefined for values that are not protobuf. Throws ProtobufError when the value is malformed.
 */
export function foreignReader(hub: GroupVersionKind): (value: Buffer) => KubeObject | undefined {
  const hubType = requireType(hub);
  const apiVersion = formatGroupVersion(hub);
  return (value) => {
    if (!hasProtobufMagic(value)) return undefined;
    const decoded = builtinProtobuf.decodeCanonical(value, hub);
    const stored = asObject(
      decoded,
      typeof decoded.apiVersion === 'string' ? decoded.apiVersion : apiVersion,
      hub.kind,
    );
    const object = stored.apiVersion === apiVersion ? stored : convertFromHub(convertToHub(stored, hub), hub);
    defaulterFor(hub)?.(object);
    return asObject(canonicalize(object, hubType), apiVersion, hub.kind);
  };
}
