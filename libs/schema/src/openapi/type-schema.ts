import { lookupTable, type JsonObject, type JsonValue } from '@apichain/meta';
import type { Field, NestedValidation, Type, ValueValidation } from '@apichain/scheme';
import { noValues } from '../structural-type.ts';
import { definitionName } from './definition-names.ts';
import { markedDefault, unionsOf } from './markers.ts';
import type { Documentation, OpenApiVersion, TypeLookup } from './openapi-types.ts';

const prefix: Record<OpenApiVersion, string> = { 2: '#/definitions/', 3: '#/components/schemas/' };

export const schemaRef = (name: string, version: OpenApiVersion): JsonObject => ({ $ref: prefix[version] + name });

/**
 * Writes types as schemas of one OpenAPI version. Named types become references. `named` is called for each, so that the document can
 * define it.
 */
export class SchemaWriter {
  readonly version: OpenApiVersion;
  readonly #types: TypeLookup;
  readonly #documentation: Documentation;
  readonly #named: (type: Type & { readonly name: string }) => void;

  constructor(
    version: OpenApiVersion,
    types: TypeLookup,
    documentation: Documentation,
    named: (type: Type & { readonly name: string }) => void,
  ) {
    this.version = version;
    this.#types = types;
    this.#documentation = documentation;
    this.#named = named;
  }

  /** The schema for a use of a type. */
  use(type: Type): JsonObject {
    if (!isNamed(type)) return this.define(type);
    this.#named(type);
    return schemaRef(definitionName(type.name), this.version);
  }

  /** The schema for the definition of a type. */
  define(type: Type): JsonObject {
    const forV2 = this.version === 2;
    const untyped = forV2 && (type.nullable === true || type.preserveUnknownFields === true);
    return compact({
      description: type.description ?? (isNamed(type) ? this.#documentation.type(type.name) || undefined : undefined),
      title: type.title,
      ...(untyped ? untypedShape(type) : this.#shape(type)),
      // The constants of a Go type have no order, so they are sorted.
      enum: type.alias === undefined ? type.enum?.slice() : type.enum?.toSorted(),
      nullable: !forV2 && type.nullable ? true : undefined,
      default: forV2 ? undefined : type.default,
      example: type.example,
      externalDocs: type.externalDocs,
      ...keywords(type.validation, this.version),
      required: this.#required(type),
      ...extensions(type),
      'x-kubernetes-unions': isNamed(type) ? unionsOf(type.name) : undefined,
    });
  }

  #shape(type: Type): Record<string, JsonValue | undefined> {
    switch (type.kind) {
      case 'object':
        return {
          type: 'object',
          properties: this.#properties(type),
          additionalProperties: type.values === undefined ? undefined : this.#values(type.values),
        };
      case 'map':
        return {
          type: 'object',
          additionalProperties: type.values === undefined ? undefined : this.#values(type.values),
        };
      case 'array':
        return { type: 'array', items: type.items === undefined ? {} : this.use(type.items) };
      case 'intOrString':
        return intOrString(type, this.version);
      case 'quantity':
        return this.version === 2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] };
      case 'number':
        return { type: 'number', format: type.format };
      case 'json':
        return type.byName === undefined ? {} : { properties: this.#properties(type) };
      default:
        return { ...scalars[type.kind], ...(type.format === undefined ? {} : { format: type.format }) };
    }
  }

  /** `additionalProperties: true` if the values are not described. */
  #values(values: Type): JsonValue {
    if (values === noValues) return false;
    const described = this.use(values);
    return Object.keys(described).length === 0 ? true : described;
  }

  #properties(type: Type): JsonObject | undefined {
    const fields = type.fields ?? [];
    if (fields.length === 0) return undefined;
    const properties: JsonObject = {};
    for (const field of fields) if (field.name !== '__proto__') properties[field.name] = this.#property(field, type);
    return properties;
  }

  #property(field: Field, owner: Type): JsonObject {
    const schema = this.use(field.type);
    const more = compact({
      description: field.description ?? (this.#documented(field.name, owner) || undefined),
      default: this.version === 3 ? defaultOf(field, owner) : undefined,
      'x-kubernetes-map-type': this.#ownMapType(field.type),
      'x-kubernetes-patch-strategy': field.patchStrategy?.join(','),
      'x-kubernetes-patch-merge-key': field.patchMergeKey,
    });
    if (Object.keys(more).length === 0) return schema;
    return this.version === 3 && schema.$ref !== undefined ? { allOf: [schema], ...more } : { ...schema, ...more };
  }

  /** The map type of a field, if it differs from that of its type. */
  #ownMapType(type: Type): string | undefined {
    return isNamed(type) && type.mapType !== undefined && this.#types(type.name).mapType !== type.mapType
      ? type.mapType
      : undefined;
  }

  /** The description of a field that no CRD schema describes. */
  #documented(name: string, owner: Type): string {
    if (isNamed(owner)) return this.#documentation.field(owner.name, name);
    return owner.embeddedResource ? embeddedField(name, this.#documentation) : '';
  }

  #required(type: Type): string[] | undefined {
    const names = type.required ?? (type.fields ?? []).filter((f) => f.required).map((f) => f.name);
    const published =
      this.version === 2 ? names.filter((name) => type.byName?.get(name)?.type.nullable !== true) : names;
    if (this.version === 2 && (type.values?.nullable || type.nullable)) return undefined;
    if (type.embeddedResource && !(this.version === 2 && type.preserveUnknownFields))
      return [...new Set([...published, 'kind', 'apiVersion'])];
    return published.length > 0 ? [...published] : undefined;
  }
}

/** The fields whose descriptions are used for the metadata of custom objects and lists. */
export const objectMetadata = ['core.v1.Pod', 'metadata'] as const;
export const listMetadata = ['core.v1.PodList', 'metadata'] as const;

const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
/** kube-apiserver's descriptions of the fields that it adds to embedded resources, and of the items of custom lists. */
const embeddedFields: Readonly<Record<string, string>> = lookupTable({
  apiVersion: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
  kind: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
});
export const customItems = (plural: string): string => `List of ${plural}. More info: ${conventions}`;

const embeddedField = (name: string, documentation: Documentation): string =>
  embeddedFields[name] ?? (name === 'metadata' ? documentation.field(...objectMetadata) : '');

export const isNamed = (type: Type): type is Type & { readonly name: string } => type.name !== undefined;

const scalars: Partial<Record<Type['kind'], JsonObject>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  fieldsV1: { type: 'object' },
  rawExtension: { type: 'object' },
};

const zeroes: Partial<Record<Type['kind'], JsonValue>> = { string: '', integer: 0, number: 0, boolean: false };

function defaultOf(field: Field, owner: Type): JsonValue | undefined {
  const marked = isNamed(owner) ? markedDefault(owner.name, field.name) : undefined;
  return field.default ?? marked ?? zeroDefault(field, owner);
}

/** The default of a field of a Go struct, if Go cannot distinguish its zero value from an unset one. Custom schemas state their defaults. */
function zeroDefault(field: Field, owner: Type): JsonValue | undefined {
  const { type } = field;
  if (!isNamed(owner) || field.pointer === true) return undefined;
  if (type.kind === 'object') return isNamed(type) ? {} : undefined;
  return field.omitempty === true ? undefined : zeroes[type.kind];
}

/** For version 2, which kubectl uses. kubectl cannot handle null, nor known fields next to unknown ones. */
function untypedShape(type: Type): Record<string, JsonValue | undefined> {
  const keepsType = !type.nullable && type.kind !== 'object' && type.kind !== 'array' && type.kind !== 'map';
  return keepsType ? { ...scalars[type.kind] } : {};
}

function intOrString(type: Type, version: OpenApiVersion): Record<string, JsonValue | undefined> {
  if (isNamed(type))
    return version === 2
      ? { type: 'string', format: 'int-or-string' }
      : { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
  const ownAnyOf = type.validation?.anyOf !== undefined || type.validation?.allOf?.[0]?.anyOf !== undefined;
  return {
    anyOf: version === 3 && !ownAnyOf ? [{ type: 'integer' }, { type: 'string' }] : undefined,
    'x-kubernetes-int-or-string': true,
  };
}

function keywords(validation: ValueValidation | undefined, version: OpenApiVersion): Record<string, JsonValue> {
  if (validation === undefined) return {};
  const { allOf, anyOf, oneOf, not, ...own } = validation;
  const nested =
    version === 2
      ? {}
      : compact({
          allOf: allOf?.map(nestedSchema),
          anyOf: anyOf?.map(nestedSchema),
          oneOf: oneOf?.map(nestedSchema),
          not: not === undefined ? undefined : nestedSchema(not),
        });
  return compact({ ...own, ...nested });
}

function nestedSchema(nested: NestedValidation): JsonObject {
  const { properties, additionalProperties, items, enum: values, required, type, ...validation } = nested;
  return compact({
    type,
    ...keywords(validation, 3),
    enum: values,
    required,
    properties:
      properties === undefined
        ? undefined
        : Object.fromEntries(Object.entries(properties).map(([name, s]) => [name, nestedSchema(s)])),
    additionalProperties: additionalProperties === undefined ? undefined : nestedSchema(additionalProperties),
    items: items === undefined ? undefined : nestedSchema(items),
  });
}

function extensions(type: Type): Record<string, JsonValue | undefined> {
  return {
    'x-kubernetes-list-type': type.listType,
    'x-kubernetes-list-map-keys': type.listMapKeys === undefined ? undefined : [...type.listMapKeys],
    'x-kubernetes-map-type': type.mapType,
    'x-kubernetes-preserve-unknown-fields': type.preserveUnknownFields,
    'x-kubernetes-embedded-resource': type.embeddedResource,
    'x-kubernetes-validations': type.rules?.map((rule) => compact({ ...rule })),
  };
}

/** The members that are not undefined. */
export function compact(value: Record<string, JsonValue | undefined>): Record<string, JsonValue> {
  const result: Record<string, JsonValue> = {};
  for (const [k, v] of Object.entries(value)) if (v !== undefined) result[k] = v;
  return result;
}
