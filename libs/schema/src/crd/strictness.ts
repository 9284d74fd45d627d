import { deepEqual } from '@apichain/meta';
import { someSchema, type JsonSchemaProps } from '../json-schema-props.ts';
import { UnsupportedKeywords, validateStructural } from '../structural.ts';
import { caBundleProblem, hasRecognizedReviewVersion } from './conversion-validation.ts';
import { isConditionTrue, type CrdSpec, type CustomResourceDefinition } from './crd-types.ts';
import { hasListKeyErrors, nonAtomicSetErrors } from './schema-validation.ts';

/** Rules for new content. An update is not refused for a violation that is already stored. */
export interface Strictness {
  readonly requireRecognizedReviewVersion: boolean;
  readonly requireImmutableNames: boolean;
  readonly requireOpenApiSchema: boolean;
  readonly requireValidPropertyType: boolean;
  readonly requireStructuralSchema: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly requireAtomicSetType: boolean;
  readonly requireMapListKeys: boolean;
  readonly allowInvalidCaBundle: boolean;
  readonly tooManySelectableFieldsIn: ReadonlySet<string>;
  /** The stored schema of each version. */
  readonly oldSchemas: ReadonlyMap<string, JsonSchemaProps | undefined>;
}

/** The rules for a new definition. */
export const strict: Strictness = {
  requireRecognizedReviewVersion: true,
  requireImmutableNames: false,
  requireOpenApiSchema: true,
  requireValidPropertyType: true,
  requireStructuralSchema: true,
  requirePrunedDefaults: true,
  requireAtomicSetType: true,
  requireMapListKeys: true,
  allowInvalidCaBundle: true,
  tooManySelectableFieldsIn: new Set(),
  oldSchemas: new Map(),
};

/** The rules for an update of a definition. */
export function findStrictness(crd: CustomResourceDefinition, old: CustomResourceDefinition): Strictness {
  const schemas = schemasOf(old);
  const established = isConditionTrue(old, 'Established');
  const oldBundle = old.spec?.conversion?.webhook?.clientConfig?.caBundle;
  return {
    ...strict,
    requireRecognizedReviewVersion: hasRecognizedReviewVersion(
      old.spec?.conversion?.webhook?.conversionReviewVersions ?? [],
    ),
    requireImmutableNames: established,
    requireOpenApiSchema: schemas.every((s) => s !== undefined && s !== null),
    requireValidPropertyType: holdsNowhere(schemas, (s) => !!s.type && !openApiTypes.has(s.type)),
    requireStructuralSchema: areStructural(schemas) || !holdsNowhere(schemasOf(crd), needsStructure),
    requirePrunedDefaults: true,
    requireAtomicSetType: holdsNowhere(schemas, (s) => nonAtomicSetErrors(s, '').length > 0),
    requireMapListKeys: holdsNowhere(schemas, hasListKeyErrors),
    allowInvalidCaBundle: !established || (!!oldBundle && caBundleProblem(oldBundle) !== undefined),
    tooManySelectableFieldsIn: unchangedSelectableFields(crd.spec, old.spec),
    oldSchemas: schemasByVersion(old),
  };
}

const schemasOf = (crd: CustomResourceDefinition): Schemas =>
  (crd.spec?.versions ?? []).map((v) => v.schema?.openAPIV3Schema);

/** Whether a schema has a keyword that only structural schemas may have. After specHasKubernetesExtensions and specHasDefaults. */
const needsStructure = (s: JsonSchemaProps): boolean =>
  s.default !== undefined ||
  s['x-kubernetes-embedded-resource'] === true ||
  s['x-kubernetes-int-or-string'] === true ||
  s['x-kubernetes-preserve-unknown-fields'] !== undefined ||
  s['x-kubernetes-list-type'] !== undefined ||
  (s['x-kubernetes-list-map-keys'] ?? []).length > 0 ||
  (s['x-kubernetes-validations'] ?? []).length > 0;

type Schemas = readonly (JsonSchemaProps | undefined)[];

function holdsNowhere(schemas: Schemas, predicate: (s: JsonSchemaProps) => boolean): boolean {
  for (const schema of schemas) if (someSchema(schema, predicate)) return false;
  return true;
}

function areStructural(schemas: Schemas): boolean {
  const keywords = new UnsupportedKeywords();
  for (const schema of schemas) {
    if (!schema) continue;
    if (keywords.find(schema) !== undefined) return false;
    if (validateStructural(schema, '').length > 0) return false;
  }
  return true;
}

/** The schema of each version; if versions have the same name, that of the first. */
function schemasByVersion(crd: CustomResourceDefinition): Map<string, JsonSchemaProps | undefined> {
  return new Map([...(crd.spec?.versions ?? [])].reverse().map((v) => [v.name, v.schema?.openAPIV3Schema]));
}

const openApiTypes: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);

function unchangedSelectableFields(spec: CrdSpec | undefined, old: CrdSpec | undefined): Set<string> {
  const fields = new Map([...(old?.versions ?? [])].reverse().map((v) => [v.name, v.selectableFields]));
  const names = (spec?.versions ?? [])
    .filter((v) => {
      const before = fields.get(v.name);
      return before !== undefined && before.length > 8 && deepEqual(before, v.selectableFields);
    })
    .map((v) => v.name);
  return new Set(names.length === (spec?.versions ?? []).length ? [...names, ''] : names);
}
