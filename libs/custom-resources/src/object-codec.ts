import type { DecodedObject, ObjectCodec, ObjectDecodeOptions } from '@apichain/apiserver';
import {
  deepClone,
  formatGroupVersion,
  parseJson,
  type GroupVersionKind,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import { decodableFields, type ObjectMetaRules } from '@apichain/schema';
import type { VersionSchema } from './version-schema.ts';
import type { StorageCodec } from '@apichain/storage';

/** Converts objects of a kind between its versions, e.g. by a webhook or by functions of the process. */
export interface VersionConverter {
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
  const codec = {
    kind,
    storageKind,
    custom: true,
    decode: (value: JsonValue, { applied }: ObjectDecodeOptions = {}) => decode(value, options, applied === true),
    unknownFieldsIn: (value: JsonObject, version: string | undefined) => [
      ...unknownMetadata(options.metadata.decode(value.metadata ?? {})),
      ...(version === undefined ? [] : (schemas.get(version)?.admit(deepClone(value)) ?? fieldsWithoutSchema(value))),
    ],
    canonicalize: (object: KubeObject) => schemaOf(object)?.refresh(object) ?? object,
  };
  const stored = formatGroupVersion(storageKind);
  if (converter === undefined) {
    return {
      ...codec,
      toStorage: (object) => renamed(object, stored),
      fromStorage: (object) => (object.apiVersion === own ? object : fit(renamed(object, own))),
      convert: renamed,
    };
  }
  const convertAll = async (objects: readonly KubeObject[], apiVersion: string) =>
    (await converter.convert(objects, apiVersion)).map(fit);
  const convert = async (object: KubeObject, apiVersion: string): Promise<KubeObject> => {
    if (object.apiVersion === apiVersion) return object;
    const [converted = object] = await convertAll([object], apiVersion);
    return converted;
  };
  return {
    ...codec,
    toStorage: (object) => convert(object, stored),
    fromStorage: (object) => convert(object, own),
    convert,
    convertAll: (objects) => convertAll(objects, own),
  };
}

function renamed(object: KubeObject, apiVersion: string): KubeObject {
  object.apiVersion = apiVersion;
  return object;
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
