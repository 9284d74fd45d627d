import { wasEmpty } from '@apichain/scheme';
import type { JsonSchemaProps } from '../json-schema-props.ts';
import { sortKeys } from '../sort-keys.ts';
import type { CrdVersion } from './crd-types.ts';

/*
 * Values of whole structs appear in some messages; the real server prints its internal types there, which have no JSON names.
 */

/** Versions as messages print them. */
export const printVersions = (versions: readonly CrdVersion[] | undefined | null): unknown =>
  versions?.map((v) => ({
    Name: v.name ?? '',
    Served: v.served ?? false,
    Storage: v.storage ?? false,
    Deprecated: v.deprecated ?? false,
    DeprecationWarning: v.deprecationWarning ?? null,
    Schema: v.schema === undefined ? null : { OpenAPIV3Schema: printSchema(v.schema.openAPIV3Schema) },
    Subresources:
      v.subresources === undefined
        ? null
        : { Status: v.subresources.status === undefined ? null : {}, Scale: printScale(v.subresources.scale) },
    AdditionalPrinterColumns:
      v.additionalPrinterColumns?.map((c) => ({
        Name: c.name ?? '',
        Type: c.type ?? '',
        Format: c.format ?? '',
        Description: c.description ?? '',
        Priority: c.priority ?? 0,
        JSONPath: c.jsonPath ?? '',
      })) ?? null,
    SelectableFields: v.selectableFields?.map((f) => ({ JSONPath: f.jsonPath ?? '' })) ?? null,
  })) ?? null;

function printScale(scale: NonNullable<CrdVersion['subresources']>['scale']): unknown {
  if (scale === undefined) return null;
  return {
    SpecReplicasPath: scale.specReplicasPath ?? '',
    StatusReplicasPath: scale.statusReplicasPath ?? '',
    LabelSelectorPath: scale.labelSelectorPath ?? null,
  };
}

type Printer = (value: never) => unknown;
const asIs: Printer = (value: unknown) => sortKeys(value);
const one: Printer = (schema: JsonSchemaProps) => printSchema(schema);
const many: Printer = (schemas: JsonSchemaProps[]) => schemas.map(printSchema);
const map: Printer = (schemas: Record<string, JsonSchemaProps>) => {
  const names = Object.keys(schemas).sort();
  return Object.fromEntries(names.map((name) => [name, printSchema(schemas[name])]));
};
/** A schema for all items or one for each. */
export const printItems = (value: JsonSchemaProps | JsonSchemaProps[]): unknown =>
  Array.isArray(value)
    ? { Schema: null, JSONSchemas: value.map(printSchema) }
    : { Schema: printSchema(value), JSONSchemas: null };
const dependencies: Printer = (value: Record<string, JsonSchemaProps | string[] | null>) => {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, other]) => [
      name,
      Array.isArray(other) ? { Schema: null, Property: other } : { Schema: printSchema(other), Property: null },
    ]),
  );
};
const orBool: Printer = (value: boolean | JsonSchemaProps) =>
  typeof value === 'boolean' ? { Allows: value, Schema: null } : { Allows: true, Schema: printSchema(value) };
const externalDocs: Printer = ({ description, url }: Record<string, unknown>) => ({
  Description: description ?? '',
  URL: url ?? '',
});
const rules: Printer = (list: Record<string, unknown>[]) =>
  list.map((rule) => ({
    Rule: rule.rule ?? '',
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }));

/** The fields of a schema in Go's order: JSON name, Go name, what stands for absent, how a value is printed. */
export const schemaFields: readonly (readonly [keyof JsonSchemaProps, string, unknown, Printer])[] = [
  ['id', 'ID', '', asIs],
  ['$schema', 'Schema', '', asIs],
  ['$ref', 'Ref', null, asIs],
  ['description', 'Description', '', asIs],
  ['type', 'Type', '', asIs],
  ['nullable', 'Nullable', false, asIs],
  ['format', 'Format', '', asIs],
  ['title', 'Title', '', asIs],
  ['default', 'Default', null, asIs],
  ['maximum', 'Maximum', null, asIs],
  ['exclusiveMaximum', 'ExclusiveMaximum', false, asIs],
  ['minimum', 'Minimum', null, asIs],
  ['exclusiveMinimum', 'ExclusiveMinimum', false, asIs],
  ['maxLength', 'MaxLength', null, asIs],
  ['minLength', 'MinLength', null, asIs],
  ['pattern', 'Pattern', '', asIs],
  ['maxItems', 'MaxItems', null, asIs],
  ['minItems', 'MinItems', null, asIs],
  ['uniqueItems', 'UniqueItems', false, asIs],
  ['multipleOf', 'MultipleOf', null, asIs],
  ['enum', 'Enum', null, asIs],
  ['maxProperties', 'MaxProperties', null, asIs],
  ['minProperties', 'MinProperties', null, asIs],
  ['required', 'Required', null, asIs],
  ['items', 'Items', null, printItems],
  ['allOf', 'AllOf', null, many],
  ['oneOf', 'OneOf', null, many],
  ['anyOf', 'AnyOf', null, many],
  ['not', 'Not', null, one],
  ['properties', 'Properties', null, map],
  ['additionalProperties', 'AdditionalProperties', null, orBool],
  ['patternProperties', 'PatternProperties', null, map],
  ['dependencies', 'Dependencies', null, dependencies],
  ['additionalItems', 'AdditionalItems', null, orBool],
  ['definitions', 'Definitions', null, map],
  ['externalDocs', 'ExternalDocs', null, externalDocs],
  ['example', 'Example', null, asIs],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields', null, asIs],
  ['x-kubernetes-embedded-resource', 'XEmbeddedResource', false, asIs],
  ['x-kubernetes-int-or-string', 'XIntOrString', false, asIs],
  ['x-kubernetes-list-map-keys', 'XListMapKeys', null, asIs],
  ['x-kubernetes-list-type', 'XListType', null, asIs],
  ['x-kubernetes-map-type', 'XMapType', null, asIs],
  ['x-kubernetes-validations', 'XValidations', null, rules],
];

/** A schema as messages print it. */
export function printSchema(schema: JsonSchemaProps | undefined | null): unknown {
  if (schema === undefined || schema === null) return null;
  return Object.fromEntries(
    schemaFields.map(([name, goName, absent, print]) => {
      const value = schema[name];
      if (value !== undefined && value !== null) return [goName, print(value as never)];
      if (wasEmpty(schema, name)) return [goName, print === map || print === dependencies ? {} : []];
      return [goName, absent];
    }),
  );
}
