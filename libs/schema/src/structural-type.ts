import { type JsonValue } from '@apichain/meta';
import type { Field, NestedValidation, Type, TypeKind, ValueValidation } from '@apichain/scheme';
import { hasEmbeddedResources } from './object-meta.ts';
import { itemsSchema, properties, valuesSchema, type JsonSchemaProps } from './json-schema-props.ts';

/** The Type of a node without a description: `additionalProperties: true` and absent `items`. Pruning removes its content. */
const undescribed: Type = { kind: 'json' };
/** The Type of values that are not allowed: `additionalProperties: false`. */
export const noValues: Type = { kind: 'json' };

/** The types by their schemas. */
export type StructuralTypes = Map<JsonSchemaProps, Type>;

/**
 * Converts a structural schema to a Type. The schema is trusted: validate it first. Built-in types may replace the parts that the API
 * defines, see `customResourceType`. `types` receives the type of the schema and of every schema in it that declares a type.
 */
export function structuralType(schema: JsonSchemaProps, types?: StructuralTypes): Type {
  const declared = fields(schema, types);
  const values = additionalValues(schema, types);
  const items = itemsSchema(schema);
  const hasFields = declared.length > 0 || schema.type === 'object';
  const type: Type = {
    kind: typeKind(schema, declared.length > 0),
    ...definedOnly({
      description: schema.description || undefined,
      fields: hasFields ? declared : undefined,
      byName: hasFields ? new Map(declared.map((f) => [f.name, f])) : undefined,
      values,
      items: items === undefined ? (schema.type === 'array' ? undescribed : undefined) : structuralType(items, types),
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
  types?.set(schema, type);
  return type;
}

/**
 * The Type of a custom resource: that of its schema, with apiVersion, kind and metadata added as in every API object. `objectMeta` is the
 * built-in Type `meta.v1.ObjectMeta`.
 */
export const customResourceType = (structural: Type, objectMeta: Type): Type =>
  withResourceFields({ ...structural, kind: 'object', embeddedResource: true }, objectMeta, true);

/** Adds apiVersion, kind and metadata to the root and to every embedded resource. */
function withResourceFields(type: Type, objectMeta: Type, isRoot: boolean): Type {
  if (!hasEmbeddedResources(type)) return type;
  const declared: Field[] = [];
  for (const f of type.fields ?? []) {
    declared.push({ ...f, type: withResourceFields(f.type, objectMeta, false) });
  }
  const own = type.embeddedResource ? resourceFields(objectMeta) : [];
  const fields = [...own, ...declared.filter((f) => !own.some((x) => x.name === f.name))];
  const { embeddedResource, ...rest } = type;
  return {
    ...rest,
    ...(embeddedResource === undefined || isRoot ? {} : { embeddedResource }),
    ...(fields.length === 0 ? {} : { fields, byName: new Map(fields.map((f) => [f.name, f])) }),
    ...(type.values === undefined ? {} : { values: withResourceFields(type.values, objectMeta, false) }),
    ...(type.items === undefined ? {} : { items: withResourceFields(type.items, objectMeta, false) }),
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

function fields(schema: JsonSchemaProps, types: StructuralTypes | undefined): Field[] {
  const required = new Set(schema.required ?? []);
  const declared: Field[] = [];
  for (const [name, s] of properties(schema))
    declared.push({
      name,
      type: structuralType(s, types),
      ...(s.description ? { description: s.description } : {}),
      ...(required.has(name) ? { required: true } : {}),
      omitempty: true,
      ...(s.default === undefined || s.default === null ? {} : { default: s.default }),
    });
  return declared;
}

function additionalValues(schema: JsonSchemaProps, types: StructuralTypes | undefined): Type | undefined {
  if (schema.additionalProperties === undefined || schema.additionalProperties === null) return undefined;
  const values = valuesSchema(schema);
  if (schema.additionalProperties === false) return noValues;
  return values === undefined ? undescribed : structuralType(values, types);
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
      allOf: nestedValidations(schema.allOf),
      anyOf: nestedValidations(schema.anyOf),
      oneOf: nestedValidations(schema.oneOf),
      not: schema.not ? nestedValidation(schema.not) : undefined,
    }),
  };
  return Object.keys(validation).length > 0 ? validation : undefined;
}

function nestedValidations(schemas: readonly JsonSchemaProps[] | undefined): NestedValidation[] | undefined {
  if (schemas === undefined || schemas === null) return undefined;
  const validations: NestedValidation[] = [];
  for (const schema of schemas) validations.push(nestedValidation(schema));
  return validations;
}

function nestedValidation(schema: JsonSchemaProps): NestedValidation {
  const items = itemsSchema(schema);
  const values = valuesSchema(schema);
  const declared: [string, NestedValidation][] = [];
  for (const [name, s] of properties(schema)) declared.push([name, nestedValidation(s)]);
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
