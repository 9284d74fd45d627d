import type { DecodedObject, ObjectCodec } from '@apichain/apiserver';
import { deepClone, formatGroupVersion, type GroupVersionKind, type KubeObject, parseJson } from '@apichain/meta';
import { decodableFields, type ObjectMetaRules } from '@apichain/schema';
import type { VersionSchema } from './version-schema.ts';
import type { StorageCodec } from '@apichain/storage';

/** Converts objects of a kind between its versions, e.g. by a webhook or by functions of the process. */
export interface VersionConverter {
  /** Converts one object at once. Throws if that is not possible without waiting. */
  convertNow(object: KubeObject, apiVersion: string): KubeObject;
  /** Converts objects of any versions; the result has their order. Rejects with a StatusError for the client. */
  convert(objects: readonly KubeObject[], apiVersion: string): Promise<readonly KubeObject[]>;
}

/** The input of `customCodec`. */
export interface CustomCodecOptions {
  readonly kind: GroupVersionKind;
  readonly storageKind: GroupVersionKind;
  readonly schemas: ReadonlyMap<string, VersionSchema>;
  readonly metadata: ObjectMetaRules;
  /** The converter; undefined = no conversion is needed, because versions differ only in their name. */
  readonly converter?: VersionConverter;
}

/** Decodes and converts the objects of a custom kind with its schema. Without a converter only the apiVersion is changed. */
export function customCodec(options: CustomCodecOptions): ObjectCodec {
  const { kind, storageKind, schemas, converter } = options;
  const own = formatGroupVersion(kind);
  const schemaOf = ({ apiVersion }: KubeObject) => schemas.get(apiVersion.slice(apiVersion.indexOf('/') + 1));
  const fit = (object: KubeObject): KubeObject => schemaOf(object)?.fit(object) ?? object;
  const convert = (object: KubeObject, apiVersion: string): KubeObject => {
    if (object.apiVersion === apiVersion) return object;
    if (converter !== undefined) return fit(converter.convertNow(object, apiVersion));
    object.apiVersion = apiVersion;
    return object;
  };
  return {
    kind,
    storageKind,
    custom: true,
    decode: (value, { applied } = {}) => decode(value, options, applied === true),
    unknownFieldsIn: (value, version) => [
      ...unknownMetadata(options.metadata.decode(value.metadata ?? {})),
      ...(version === undefined ? [] : (schemas.get(version)?.admit(deepClone(value)) ?? fieldsWithoutSchema(value))),
    ],
    canonicalize: (object) => schemaOf(object)?.refresh(object) ?? object,
    toStorage: (object) => convert(object, formatGroupVersion(storageKind)),
    fromStorage(object) {
      const isOwn = object.apiVersion === own;
      const result = convert(object, own);
      return isOwn ? result : fit(result);
    },
    convert,
    ...(converter === undefined
      ? {}
      : { convertAll: async (objects: readonly KubeObject[]) => (await converter.convert(objects, own)).map(fit) }),
  };
}

/** Sorted by name, the order of the Go map that kube-apiserver reads the metadata of a custom resource as. */
const unknownMetadata = ({ unknownFields }: { readonly unknownFields: readonly string[] }): string[] =>
  unknownFields.map((name) => `metadata.${name}`).sort();

/** Drops members of applied metadata whose type differs from the schema, such as times. */
function decodeMetadata(
  value: unknown,
  rules: ObjectMetaRules,
  applied: boolean,
): ReturnType<ObjectMetaRules['decode']> {
  if (!applied) return rules.decode(value);
  try {
    return rules.decode(value);
  } catch (error) {
    if (!(error instanceof Error) || !(value instanceof Object)) throw error;
    return { metadata: decodableFields({ ...value }, rules), unknownFields: [] };
  }
}

const implicitFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
const fieldsWithoutSchema = (value: object): string[] =>
  Object.keys(value)
    .filter((name) => !implicitFields.has(name))
    .sort();

function decode(value: unknown, { kind, schemas, metadata }: CustomCodecOptions, applied: boolean): DecodedObject {
  const fields = value as Record<string, unknown>;
  const meta = decodeMetadata(fields.metadata ?? {}, metadata, applied);
  const object: KubeObject = {
    ...fields,
    apiVersion: formatGroupVersion(kind),
    // Another kind is kept, so that validation refuses it; the schema is not applied to it.
    kind: typeof fields.kind === 'string' && fields.kind !== '' ? fields.kind : kind.kind,
    metadata: meta.metadata,
  };
  const schema = schemas.get(kind.version);
  if (applied) schema?.setDefaults(object);
  const isJudged = !applied && object.kind === kind.kind;
  const unknown = isJudged ? (schema?.admit(object) ?? []) : [];
  return { object, unknownFields: [...unknownMetadata(meta), ...unknown] };
}

/** Decodes stored values, whatever their form, with the schema, which may have changed since they were written. */
export function refreshingCodec(
  codec: StorageCodec,
  schemaOf: (version: string) => VersionSchema | undefined,
  kind: GroupVersionKind | undefined,
): StorageCodec {
  return {
    ...codec,
    decode(value, revision) {
      const json = codec.decode(value, revision);
      const object = parseJson(json) as KubeObject;
      if (kind !== undefined) object.apiVersion = formatGroupVersion(kind);
      const schema = schemaOf(object.apiVersion.slice(object.apiVersion.indexOf('/') + 1));
      if (schema === undefined) return json;
      return codec.present(schema.refresh(object), revision);
    },
  };
}
