import type { JsonValue } from '@apichain/meta';
import type { Field, NestedValidation, Type, TypeKind, ValueValidation } from '@apichain/scheme';
import { hasEmbeddedResources } from './object-meta.ts';
import { itemsSchema, properties, valuesSchema, type JsonSchemaProps } from './json-schema-props.ts';

/** The Type of a node whose content nobody described: `additionalProperties: true` and absent `items`. It is pruned empty. */
const undescribed: Type = { kind: 'json' };
/** The Type of values that may not be: `additionalProperties: false`. */
export const noValues: Type = { kind: 'json' };

/**
 * A structural schema as a Type. The schema is trusted: validate it first. Types of built-in kinds may stand for the parts
 * that the API fixes, see `customResourceType`.
 */
export function structuralType(schema: JsonSchemaProps): Type {
  const declared = fields(schema);
  const values = additionalValues(schema);
  const items = itemsSchema(schema);
  return {
    kind: typeKind(schema, declared.length > 0),
    ...definedOnly({
      description: schema.description || undefined,
      fields: declared.length > 0 || schema.type === 'object' ? declared : undefined,
      byName: declared.length > 0 || schema.type === 'object' ? new Map(declared.map((f) => [f.name, f])) : undefined,
      values,
      items: items === undefined ? (schema.type === 'array' ? undescribed : undefined) : structuralType(items),
      listType: listType(schema),
      listMapKeys: schema['x-kubernetes-list-map-keys'],
      mapType: mapType(schema),
      format: schema.type === 'integer' || schema.type === 'number' ? schema.format : undefined,
      enum: schema.enum,
      default: schema.default ?? undefined,
      nullable: schema.nullable || undefined,
      preserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] || undefined,
      embeddedResource: schema['x-kubernetes-embedded-resource'] || undefined,
      required: schema.required,
      title: schema.title || undefined,
      example: schema.example ?? undefined,
      externalDocs: schema.externalDocs,
      validation: valueValidation(schema),
      rules: schema['x-kubernetes-validations'],
    }),
  };
}

/**
 * The Type of a custom resource: its schema with apiVersion, kind and metadata put in, as every object of the API has them.
 * `objectMeta` is the built-in Type `meta.v1.ObjectMeta`.
 */
export function customResourceType(schema: JsonSchemaProps, objectMeta: Type): Type {
  return withResourceFields({ ...structuralType(schema), kind: 'object', embeddedResource: true }, objectMeta, true);
}

/** Puts apiVersion, kind and metadata into the root and into every embedded resource. */
function withResourceFields(type: Type, objectMeta: Type, isRoot: boolean): Type {
  if (!hasEmbeddedResources(type)) return type;
  const nested = (t: Type): Type => withResourceFields(t, objectMeta, false);
  const declared = (type.fields ?? []).map((f): Field => ({ ...f, type: nested(f.type) }));
  const own = type.embeddedResource ? resourceFields(objectMeta) : [];
  const fields = [...own, ...declared.filter((f) => !own.some((x) => x.name === f.name))];
  const { embeddedResource, ...rest } = type;
  return {
    ...rest,
    ...(embeddedResource === undefined || isRoot ? {} : { embeddedResource }),
    ...(fields.length === 0 ? {} : { fields, byName: new Map(fields.map((f) => [f.name, f])) }),
    ...(type.values === undefined ? {} : { values: nested(type.values) }),
    ...(type.items === undefined ? {} : { items: nested(type.items) }),
  };
}

const resourceFields = (objectMeta: Type): Field[] => [
  { name: 'apiVersion', type: { kind: 'string' }, omitempty: true },
  { name: 'kind', type: { kind: 'string' }, omitempty: true },
  { name: 'metadata', type: objectMeta, omitempty: true },
];

const scalarKinds: ReadonlyMap<string, TypeKind> = new Map([
  ['array', 'array'],
  ['string', 'string'],
  ['integer', 'integer'],
  ['number', 'number'],
  ['boolean', 'boolean'],
]);

function typeKind(schema: JsonSchemaProps, hasFields: boolean): TypeKind {
  if (schema['x-kubernetes-int-or-string']) return 'intOrString';
  if (schema.type !== 'object') return scalarKinds.get(schema.type ?? '') ?? 'json';
  const isMap = schema.additionalProperties !== undefined && schema.additionalProperties !== null && !hasFields;
  return isMap ? 'map' : 'object';
}

function fields(schema: JsonSchemaProps): Field[] {
  const required = new Set(schema.required ?? []);
  return properties(schema).map(([name, s]) => ({
    name,
    type: structuralType(s),
    ...(s.description ? { description: s.description } : {}),
    ...(required.has(name) ? { required: true } : {}),
    omitempty: true,
    ...(s.default === undefined || s.default === null ? {} : { default: s.default }),
  }));
}

function additionalValues(schema: JsonSchemaProps): Type | undefined {
  if (schema.additionalProperties === undefined || schema.additionalProperties === null) return undefined;
  const values = valuesSchema(schema);
  if (schema.additionalProperties === false) return noValues;
  return values === undefined ? undescribed : structuralType(values);
}

function listType(schema: JsonSchemaProps): 'atomic' | 'set' | 'map' | undefined {
  const type = schema['x-kubernetes-list-type'];
  return type === 'atomic' || type === 'set' || type === 'map' ? type : undefined;
}
function mapType(schema: JsonSchemaProps): 'granular' | 'atomic' | undefined {
  const type = schema['x-kubernetes-map-type'];
  return type === 'granular' || type === 'atomic' ? type : undefined;
}

const validationKeywords = [
  'format',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'maxProperties',
  'minProperties',
] as const satisfies readonly (keyof ValueValidation & keyof JsonSchemaProps)[];

function valueValidation(schema: JsonSchemaProps): ValueValidation | undefined {
  const own: Record<string, JsonValue | undefined> = {};
  for (const keyword of validationKeywords) {
    const value = schema[keyword];
    if (value !== undefined && value !== null && value !== false && value !== '') own[keyword] = value;
  }
  const validation: ValueValidation = {
    ...own,
    ...definedOnly({
      allOf: schema.allOf?.map(nestedValidation),
      anyOf: schema.anyOf?.map(nestedValidation),
      oneOf: schema.oneOf?.map(nestedValidation),
      not: schema.not ? nestedValidation(schema.not) : undefined,
    }),
  };
  return Object.keys(validation).length > 0 ? validation : undefined;
}

function nestedValidation(schema: JsonSchemaProps): NestedValidation {
  const items = itemsSchema(schema);
  const values = valuesSchema(schema);
  const declared = properties(schema).map(([name, s]): [string, NestedValidation] => [name, nestedValidation(s)]);
  return {
    ...valueValidation(schema),
    ...definedOnly({
      enum: schema.enum,
      required: schema.required,
      properties: declared.length > 0 ? Object.fromEntries(declared) : undefined,
      additionalProperties: values === undefined ? undefined : nestedValidation(values),
      items: items === undefined ? undefined : nestedValidation(items),
      type: schema.type,
    }),
  };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function definedOnly<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as Defined<T>;
}
