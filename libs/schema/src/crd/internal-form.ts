import { wasEmpty } from '@apichain/scheme';
import type { JsonSchemaProps, SchemaKeyword } from '../json-schema-props.ts';
import { sortKeys } from '../sort-keys.ts';
import type { CrdVersion } from './crd-types.ts';

/*
 * Some messages contain whole structs. kube-apiserver prints its internal types there, which have no JSON names. A schema takes a kilobyte
 * of text, so only the first of many schemas are printed.
 */

/** The number of schemas that are printed. Further schemas are printed as null. */
const mostSchemas = 1_000;

interface Left {
  schemas: number;
}

/** Versions as in messages. */
export function printVersions(versions: readonly CrdVersion[] | undefined | null): unknown {
  const left = { schemas: mostSchemas };
  return versions?.map((v) => printVersion(v, left)) ?? null;
}

function printVersion(v: CrdVersion, left: Left): unknown {
  return {
    Name: v.name ?? '',
    Served: v.served ?? false,
    Storage: v.storage ?? false,
    Deprecated: v.deprecated ?? false,
    DeprecationWarning: v.deprecationWarning ?? null,
    Schema: v.schema === undefined ? null : { OpenAPIV3Schema: schemaText(v.schema.openAPIV3Schema, left) },
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
  };
}

function printScale(scale: NonNullable<CrdVersion['subresources']>['scale']): unknown {
  if (scale === undefined) return null;
  return {
    SpecReplicasPath: scale.specReplicasPath ?? '',
    StatusReplicasPath: scale.statusReplicasPath ?? '',
    LabelSelectorPath: scale.labelSelectorPath ?? null,
  };
}

type Printer = (value: never, left: Left) => unknown;
const asIs: Printer = (value: unknown) => sortKeys(value);
const one: Printer = (schema: JsonSchemaProps, left) => schemaText(schema, left);
const many: Printer = (schemas: JsonSchemaProps[], left) => schemas.map((schema) => schemaText(schema, left));
const map: Printer = (schemas: Record<string, JsonSchemaProps>, left) => {
  const names = Object.keys(schemas).sort();
  return Object.fromEntries(names.map((name) => [name, schemaText(schemas[name], left)]));
};
const itemsText = (value: JsonSchemaProps | JsonSchemaProps[], left: Left): unknown =>
  Array.isArray(value)
    ? { Schema: null, JSONSchemas: value.map((schema) => schemaText(schema, left)) }
    : { Schema: schemaText(value, left), JSONSchemas: null };
const dependencies: Printer = (value: Record<string, JsonSchemaProps | string[] | null>, left) => {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, other]) => [
      name,
      Array.isArray(other) ? { Schema: null, Property: other } : { Schema: schemaText(other, left), Property: null },
    ]),
  );
};
const orBool: Printer = (value: boolean | JsonSchemaProps, left) =>
  typeof value === 'boolean' ? { Allows: value, Schema: null } : { Allows: true, Schema: schemaText(value, left) };
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

/** The fields of a schema in Go's order: JSON name, Go name, the text of an absent value, and the printer of a value. */
export const schemaFields: readonly (readonly [SchemaKeyword, string, unknown, Printer])[] = [
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
  ['items', 'Items', null, itemsText],
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

/** A schema as in messages. */
export const printSchema = (schema: JsonSchemaProps | undefined | null): unknown =>
  schemaText(schema, { schemas: mostSchemas });

/** The items of a schema as in messages: one schema for all items, or one for each. */
export const printItems = (value: JsonSchemaProps | JsonSchemaProps[]): unknown =>
  itemsText(value, { schemas: mostSchemas });

function schemaText(schema: JsonSchemaProps | undefined | null, left: Left): unknown {
  if (schema === undefined || schema === null || left.schemas-- <= 0) return null;
  return Object.fromEntries(
    schemaFields.map(([name, goName, absent, print]) => {
      const value = schema[name];
      if (value !== undefined && value !== null) return [goName, print(value as never, left)];
      if (wasEmpty(schema, name)) return [goName, print === map || print === dependencies ? {} : []];
      return [goName, absent];
    }),
  );
}
