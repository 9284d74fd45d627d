import {
  formatGroupVersion,
  isJsonObject,
  type GroupVersionKind,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import { canonicalize, canonicalMembers, decodeObject, type Type } from '@apichain/scheme';
import type { ObjectCodec } from './object-codec.ts';

export interface TypedCodecOptions {
  readonly kind: GroupVersionKind;
  readonly type: Type;
  /** Sets the defaults of the kind, in place. */
  readonly setDefaults?: (object: KubeObject) => void;
  /** See ObjectCodec. */
  readonly carriedAnnotations?: readonly string[];
  /** See ObjectCodec. */
  readonly showZeroes?: (blank: KubeObject) => void;
  /** The storage version (hub) of a kind with several versions; default: `kind`. */
  readonly storageKind?: GroupVersionKind;
  readonly storageType?: Type;
  /** Converts between two versions of the kind. Required if `storageKind` differs. */
  readonly convert?: (object: KubeObject, apiVersion: string) => KubeObject;
}

/** A decoded object: apiVersion and kind first, metadata always present. The rest includes the symbol member of `Struct`. */
function asKubeObject(fields: Record<string, unknown>, kind: GroupVersionKind): KubeObject {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = fields;
  return {
    kind: kind.kind,
    apiVersion: formatGroupVersion(kind),
    metadata: metadata ?? {},
    ...rest,
  };
}

const member = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) ? value[name] : undefined;

/** `managedFields: []` resets field tracking, so it is kept. The field manager replaces it before the object is stored. */
function keepReset(object: KubeObject, value: JsonValue): void {
  const entries = member(member(value, 'metadata'), 'managedFields');
  if (Array.isArray(entries) && entries.length === 0) object.metadata.managedFields = [];
}

/** Encodes objects of a type in the layout of the storage codec. */
function storedText(kind: GroupVersionKind, type: Type): (object: KubeObject) => string {
  const metadataType = type.fields?.find((field) => field.name === 'metadata')?.type;
  const metadataMembers = canonicalMembers(metadataType ?? { kind: 'object' }, ['resourceVersion', 'selfLink']);
  const members = canonicalMembers(type, ['kind', 'apiVersion', 'metadata']);
  const start = `{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(formatGroupVersion(kind))},"metadata":{`;
  return (object) => `${start}${metadataMembers(object.metadata).slice(1)}}${members(object)}}`;
}

/** The codec of a built-in kind, from its type, defaults and conversions. */
export function typedCodec(options: TypedCodecOptions): ObjectCodec & Required<Pick<ObjectCodec, 'encode'>> {
  const { kind, type, setDefaults } = options;
  const storageKind = options.storageKind ?? kind;
  const storageType = options.storageType ?? type;
  const apiVersion = formatGroupVersion(kind);
  const storageVersion = formatGroupVersion(storageKind);
  const convert = (object: KubeObject, to: string): KubeObject =>
    object.apiVersion === to || options.convert === undefined ? object : options.convert(object, to);
  return {
    kind,
    storageKind,
    custom: false,
    decode(value, decodeOptions = {}) {
      const { object, unknownFields } = decodeObject(value, type, decodeOptions);
      const decoded = asKubeObject(object, kind);
      keepReset(decoded, value);
      setDefaults?.(decoded);
      return { object: decoded, unknownFields };
    },
    canonicalize: (object) => asKubeObject(canonicalize(object, storageType), storageKind),
    encode: storedText(storageKind, storageType),
    carriedAnnotations: options.carriedAnnotations,
    showZeroes: options.showZeroes,
    toStorage: (object) => convert(object, storageVersion),
    fromStorage: (object) => convert(object, apiVersion),
    convert,
  };
}
