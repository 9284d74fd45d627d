import type { ObjectCodec, ResourceInfo } from '@apichain/apiserver';
import { celRules } from '@apichain/cel';
import {
  customCodec,
  metadataRules,
  objectMetaType,
  VersionSchema,
  type VersionConverter,
} from '@apichain/custom-resources';
import type { KubeObject } from '@apichain/meta';
import { validateCrd, type CrdVersion } from '@apichain/schema';
import type { ResourceDefinition } from './definition.ts';

/** The schemas of a definition, compiled, by version. */
export type VersionSchemas = ReadonlyMap<string, VersionSchema>;

/**
 * Compiles the schemas of a definition. Throws Error, in one line, for a definition that would be no valid CustomResourceDefinition: a name that
 * is none, columns and selectable fields that the schema does not have, a default that does not fit.
 */
export function compileSchemas({ crd }: ResourceDefinition): VersionSchemas {
  const name = crd.metadata.name ?? '';
  if (!crd.spec.versions.some(({ served }) => served)) throw new Error(`resource ${name}: no version is served`);
  const errors = validateCrd(crd, { metadata: metadataRules, rules: celRules });
  if (errors.length > 0) {
    const texts = errors.map(({ field, message }) => `${field}: ${message}`);
    throw new Error(`resource ${name}: ${texts.join('; ')}`);
  }
  const context = { metadata: metadataRules, objectMeta: objectMetaType, rules: celRules };
  return new Map(crd.spec.versions.map((version) => [version.name, new VersionSchema(version, context)]));
}

/** The name of the storage version. */
export const storageVersionOf = ({ crd }: ResourceDefinition): string =>
  crd.spec.versions.find(({ storage }) => storage)?.name ?? '';

/** Kind, names and scope of the resource in a version. */
export function infoOf({ crd }: ResourceDefinition, { name }: CrdVersion): ResourceInfo {
  const { kind = '', listKind = '', plural = '', singular = '', shortNames = [], categories = [] } = crd.spec.names;
  return {
    kind: { group: crd.spec.group, version: name, kind },
    listKind,
    plural,
    singular,
    namespaced: crd.spec.scope === 'Namespaced',
    shortNames,
    categories,
  };
}

/** Decodes objects of a version with its schema and with the function of the definition that sets defaults. */
export function codecOf(
  definition: ResourceDefinition,
  version: CrdVersion,
  schemas: VersionSchemas,
  converter?: VersionConverter,
): ObjectCodec {
  const { kind } = infoOf(definition, version);
  const storageKind = { ...kind, version: storageVersionOf(definition) };
  const codec = customCodec({
    ...{ kind, storageKind, schemas, metadata: metadataRules },
    converter,
  });
  const setDefaults = definition.defaults[version.name];
  if (setDefaults === undefined) return codec;
  return {
    ...codec,
    decode(value, options) {
      const decoded = codec.decode(value, options);
      if (decoded.object.kind === kind.kind) setDefaults(decoded.object);
      return decoded;
    },
  };
}

/** An object as clients get it: with apiVersion and kind of the version, and metadata. */
export function completeObject(fields: object, apiVersion: string, kind: string): KubeObject {
  const { metadata } = fields as Partial<KubeObject>;
  return { ...fields, apiVersion, kind, metadata: metadata ?? {} };
}
