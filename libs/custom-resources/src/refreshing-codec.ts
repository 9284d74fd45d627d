import { formatGroupVersion, parseJson, type GroupVersionKind, type KubeObject } from '@apichain/meta';
import type { StorageCodec } from '@apichain/storage';
import type { VersionSchema } from './version-schema.ts';

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
