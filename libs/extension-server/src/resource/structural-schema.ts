import { isRecord, type Plain } from '@apichain/meta';
import type { JsonSchemaProps } from '@apichain/schema';

/** The keywords that JSON Schema and structural schemas share. */
const shared: ReadonlySet<string> = new Set([
  ...['type', 'format', 'title', 'description', 'default', 'nullable', 'pattern'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minProperties', 'maxProperties', 'enum'],
]);

/** The pattern that TypeBox gives to maps with keys of any text. */
const anyKey: ReadonlySet<string> = new Set(['^.*$', '^(.*)$']);

/**
 * Converts the JSON schema of a TypeBox type to a structural schema, the form in which Kubernetes publishes, prunes, defaults and merges
 * objects: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
 * Literals and unions of literals become `enum`, a union with null becomes `nullable`, records become `additionalProperties`, intersections of
 * objects one object, unknown values keep their members. Keywords that begin with `x-kubernetes-` stay. Throws Error, with the path, for what
 * has no structural form.
 */
export function structuralSchema(schema: unknown, path = 'schema'): JsonSchemaProps {
  if (!isRecord(schema)) throw new Error(`${path}: must be a schema`);
  const given = flattened(schema, path);
  if (isAnything(given)) return { ...kept(given, path), 'x-kubernetes-preserve-unknown-fields': true };
  return {
    ...kept(given, path),
    ...bounds(given),
    ...typed(given, path),
    ...members(given, path),
    ...items(given, path),
  };
}

/** The schema without `const`, `anyOf` and `allOf`. */
function flattened(schema: Plain, path: string): Plain {
  if ('const' in schema) {
    const { const: value, ...rest } = schema;
    return { ...rest, enum: [value] };
  }
  if (Array.isArray(schema['anyOf'])) return union(schema, schema['anyOf'], path);
  if (Array.isArray(schema['allOf'])) return intersection(schema, schema['allOf'], path);
  return schema;
}

function union(schema: Plain, alternatives: readonly unknown[], path: string): Plain {
  const { anyOf: _alternatives, ...rest } = schema;
  const others = alternatives.filter((one) => !isNull(one));
  const nullable = others.length < alternatives.length ? { nullable: true } : {};
  const [first] = others;
  if (others.length === 1 && isRecord(first)) return { ...flattened(first, path), ...rest, ...nullable };
  const values = others.map(literalOf);
  if (values.every((value) => value !== undefined)) return { ...rest, ...nullable, enum: values.flat() };
  const types = new Set(others.map((one) => (isRecord(one) ? one['type'] : undefined)));
  if (types.size === 2 && types.has('string') && types.has('integer') && others.every(isBare))
    return { ...rest, ...nullable, 'x-kubernetes-int-or-string': true };
  throw new Error(
    `${path}: a union has no structural form, unless it is one of literals, of a type and null, or of an integer and a string`,
  );
}

const isNull = (schema: unknown): boolean => isRecord(schema) && schema['type'] === 'null';
const isBare = (schema: unknown): boolean => isRecord(schema) && Object.keys(schema).length === 1;

/** The values of a literal or an enum; undefined for other schemas. */
function literalOf(schema: unknown): unknown[] | undefined {
  if (!isRecord(schema)) return undefined;
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined;
}

function intersection(schema: Plain, parts: readonly unknown[], path: string): Plain {
  const { allOf: _parts, ...rest } = schema;
  const properties: Record<string, unknown> = {};
  const required = new Set<unknown>();
  for (const part of parts) {
    const object = isRecord(part) ? flattened(part, path) : {};
    const declared = object['properties'];
    if (object['type'] !== 'object' || !isRecord(declared))
      throw new Error(`${path}: an intersection must be one of objects`);
    for (const [name, value] of Object.entries(declared)) {
      if (Object.hasOwn(properties, name)) throw new Error(`${path}: an intersection declares ${name} twice`);
      properties[name] = value;
    }
    if (Array.isArray(object['required'])) for (const name of object['required']) required.add(name);
  }
  return { ...rest, type: 'object', properties, ...(required.size === 0 ? {} : { required: [...required] }) };
}

/** Whether every value fits: the schema has neither a type nor another keyword that describes values. */
const isAnything = (schema: Plain): boolean =>
  ['type', 'enum', 'properties', 'items', 'patternProperties', 'x-kubernetes-int-or-string'].every(
    (keyword) => !(keyword in schema),
  );

function kept(schema: Plain, path: string): JsonSchemaProps {
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (shared.has(keyword) || keyword.startsWith('x-kubernetes-')) result[keyword] = value;
    else if (!handled.has(keyword)) throw new Error(`${path}: ${keyword} has no structural form`);
  }
  return result;
}

/** Keywords that other functions of this file convert, and those that only TypeBox reads. */
const handled: ReadonlySet<string> = new Set([
  ...['properties', 'required', 'items', 'patternProperties', 'additionalProperties'],
  ...['exclusiveMinimum', 'exclusiveMaximum'],
  ...['$id', '$schema', 'examples', 'readOnly', 'writeOnly'],
]);

/** JSON Schema has exclusive limits as numbers, OpenAPI 3.0 as flags beside the limits. */
function bounds({ exclusiveMinimum, exclusiveMaximum }: Plain): JsonSchemaProps {
  return {
    ...(typeof exclusiveMinimum === 'number' ? { minimum: exclusiveMinimum, exclusiveMinimum: true } : {}),
    ...(typeof exclusiveMaximum === 'number' ? { maximum: exclusiveMaximum, exclusiveMaximum: true } : {}),
  };
}

const types: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);

/** The type, which a structural schema must state; that of an enum follows from its values. */
function typed(schema: Plain, path: string): JsonSchemaProps {
  if (schema['x-kubernetes-int-or-string'] === true) return {};
  const type = schema['type'] ?? typeOfValues(schema['enum']);
  if (typeof type === 'string' && types.has(type)) return { type };
  if (type === undefined) throw new Error(`${path}: the values of an enum must have one type`);
  throw new Error(`${path}: the type ${JSON.stringify(type)} has no structural form`);
}

function typeOfValues(values: unknown): string | undefined {
  const found = new Set(Array.isArray(values) ? values.map((value) => typeof value) : []);
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

function members(schema: Plain, path: string): JsonSchemaProps {
  const { properties, patternProperties, additionalProperties } = schema;
  const isMap = !isRecord(properties) || Object.keys(properties).length === 0;
  const values = mapValues(patternProperties, path) ?? (isMap ? additionalProperties : undefined);
  return {
    ...(isRecord(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, value]) => [name, structuralSchema(value, `${path}.${name}`)]),
          ),
        }
      : {}),
    ...required(schema),
    ...(isRecord(values) ? { additionalProperties: structuralSchema(values, `${path}[*]`) } : {}),
  };
}

/** A member with a default is not required: defaults are set before an object is validated. */
function required({ properties, required: names }: Plain): { required?: string[] } {
  if (!Array.isArray(names)) return {};
  const declared = isRecord(properties) ? properties : {};
  const hasDefault = (name: string) => isRecord(declared[name]) && 'default' in declared[name];
  const left = names.map(String).filter((name) => !hasDefault(name));
  return left.length === 0 ? {} : { required: left };
}

function mapValues(patterns: unknown, path: string): unknown {
  if (!isRecord(patterns)) return undefined;
  const [[pattern = '', values] = [], ...others] = Object.entries(patterns);
  if (others.length === 0 && anyKey.has(pattern)) return values;
  throw new Error(`${path}: the keys of a record must be Type.String()`);
}

function items(schema: Plain, path: string): { items?: JsonSchemaProps } {
  const { items: given } = schema;
  if (given === undefined) return {};
  if (Array.isArray(given)) throw new Error(`${path}: a tuple has no structural form`);
  return { items: structuralSchema(given, `${path}[]`) };
}
