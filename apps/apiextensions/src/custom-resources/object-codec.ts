import type { DecodedObject, ObjectCodec } from '@apichain/apiserver';
import { formatGroupVersion, newServiceUnavailable, type GroupVersionKind, type KubeObject } from '@apichain/meta';
import type { ObjectMetaRules } from '@apichain/schema';
import type { VersionSchema } from './version-schema.ts';

export interface CustomCodecOptions {
  readonly kind: GroupVersionKind;
  readonly storageKind: GroupVersionKind;
  readonly schemas: ReadonlyMap<string, VersionSchema>;
  readonly metadata: ObjectMetaRules;
  /** `None` or `Webhook`. */
  readonly conversion: string;
}

/** Reads and converts the objects of a custom kind by its schema. Conversion `None` only rewrites the apiVersion. */
export function customCodec(options: CustomCodecOptions): ObjectCodec {
  const { kind, storageKind, schemas } = options;
  const convert = (object: KubeObject, apiVersion: string): KubeObject => {
    if (object.apiVersion === apiVersion) return object;
    if (options.conversion !== 'None') throw webhookUnavailable(kind);
    object.apiVersion = apiVersion;
    return object;
  };
  return {
    kind,
    storageKind,
    custom: true,
    decode: (value, { applied } = {}) => decode(value, options, applied === true),
    toStorage: (object) => convert(object, formatGroupVersion(storageKind)),
    fromStorage(object) {
      const converted = object.apiVersion !== formatGroupVersion(kind);
      const result = convert(object, formatGroupVersion(kind));
      return converted ? (schemas.get(kind.version)?.refresh(result) ?? result) : result;
    },
    convert,
  };
}

function decode(value: unknown, { kind, schemas, metadata }: CustomCodecOptions, applied: boolean): DecodedObject {
  const fields = value as Record<string, unknown>;
  const meta = metadata.decode(fields.metadata ?? {});
  const object: KubeObject = {
    ...fields,
    apiVersion: formatGroupVersion(kind),
    kind: kind.kind,
    metadata: meta.metadata,
  };
  const schema = schemas.get(kind.version);
  if (applied) schema?.setDefaults(object);
  const unknown = applied ? [] : (schema?.admit(object) ?? []);
  return { object, unknownFields: [...meta.unknownFields.map((name) => `metadata.${name}`), ...unknown] };
}

const webhookUnavailable = ({ group, version, kind }: GroupVersionKind) =>
  newServiceUnavailable(
    `conversion webhook for ${group}/${version}, Kind=${kind} failed: this server does not call conversion webhooks; use the storage version`,
  );
