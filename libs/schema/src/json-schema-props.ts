import { type JsonObject, type JsonValue, type Struct, oncePerObject } from '@apichain/meta';
import type { ValidationRule, ValueKeywords } from '@apichain/scheme';

/** The name of a member of a schema. */
export type SchemaKeyword = keyof JsonSchemaProps & string;

/**
 * A schema of a CustomResourceDefinition (apiextensions.k8s.io/v1 JSONSchemaProps), as plain JSON.
 * https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/#JSONSchemaProps
 */
export interface JsonSchemaProps extends Struct, ValueKeywords {
  id?: string;
  $schema?: string;
  $ref?: string;
  description?: string;
  type?: string;
  title?: string;
  default?: JsonValue;
  enum?: JsonValue[];
  required?: string[];
  items?: JsonSchemaProps | JsonSchemaProps[];
  allOf?: JsonSchemaProps[];
  oneOf?: JsonSchemaProps[];
  anyOf?: JsonSchemaProps[];
  not?: JsonSchemaProps;
  properties?: Record<string, JsonSchemaProps>;
  additionalProperties?: boolean | JsonSchemaProps;
  patternProperties?: Record<string, JsonSchemaProps>;
  dependencies?: Record<string, JsonSchemaProps | string[]>;
  additionalItems?: boolean | JsonSchemaProps;
  definitions?: Record<string, JsonSchemaProps>;
  externalDocs?: JsonObject;
  example?: JsonValue;
  nullable?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: ValidationRule[];
}

/** `items` if it is one schema; undefined if absent or the (unsupported) array form. */
export function itemsSchema(schema: JsonSchemaProps): JsonSchemaProps | undefined {
  return schema.items === undefined || schema.items === null || Array.isArray(schema.items) ? undefined : schema.items;
}

/** `additionalProperties` if it is a schema. */
export function valuesSchema(schema: JsonSchemaProps): JsonSchemaProps | undefined {
  return typeof schema.additionalProperties === 'object' && schema.additionalProperties !== null
    ? schema.additionalProperties
    : undefined;
}

/** Kept, because it may take time linear in the number of members. */
const hasMembers = oncePerObject((object: object) => Object.keys(object).length > 0);

/** Whether any property is declared. */
export const hasProperties = ({ properties: declared }: JsonSchemaProps): boolean =>
  declared !== undefined && declared !== null && hasMembers(declared);

/** The declared properties. Their keys come from clients, so they are only read as entries. */
export const properties = (schema: JsonSchemaProps): [string, JsonSchemaProps][] =>
  schema.properties === undefined || schema.properties === null ? [] : Object.entries(schema.properties);

/** The schema of a declared property. Names such as `__proto__` are ordinary names. */
export function property(schema: JsonSchemaProps, name: string): JsonSchemaProps | undefined {
  const declared = schema.properties;
  return declared !== undefined && declared !== null && Object.hasOwn(declared, name) ? declared[name] : undefined;
}

/** Whether `predicate` is true for the schema or any schema in it. */
export function someSchema(schema: JsonSchemaProps | undefined, predicate: (s: JsonSchemaProps) => boolean): boolean {
  if (schema === undefined || schema === null || typeof schema !== 'object') return false;
  if (predicate(schema)) return true;
  for (const nested of subschemas(schema)) if (someSchema(nested, predicate)) return true;
  return false;
}

function subschemas(schema: JsonSchemaProps): JsonSchemaProps[] {
  const isSchema = (s: unknown): s is JsonSchemaProps => typeof s === 'object' && s !== null && !Array.isArray(s);
  const values = (map: Record<string, unknown> | undefined | null) => Object.values(map ?? {}).filter(isSchema);
  return [
    ...(Array.isArray(schema.items) ? schema.items : [schema.items]),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    schema.not,
    ...values(schema.properties),
    schema.additionalProperties,
    ...values(schema.patternProperties),
    schema.additionalItems,
    ...values(schema.definitions),
    ...values(schema.dependencies),
  ].filter(isSchema);
}
