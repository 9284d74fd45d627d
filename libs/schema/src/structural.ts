import { deepEqual, errorMessage, field, type FieldError } from '@apichain/meta';
import { itemsSchema, properties, property, valuesSchema, type JsonSchemaProps } from './json-schema-props.ts';
import { compilePattern } from './pattern.ts';

type Level = 'root' | 'item' | 'field';

/**
 * Why a schema is not structural, at the paths below `path`, sorted as the real server sorts them; empty when it is.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function validateStructural(schema: JsonSchemaProps, path: string): FieldError[] {
  const errors = [...invariants(schema, 'root', path), ...completeness(schema, schema, path, path)];
  const text = (e: FieldError) => `${e.field}: ${e.message}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}

/** The first keyword that can never be structural, worded for the client; undefined when there is none. */
export function unsupportedKeyword(schema: JsonSchemaProps): string | undefined {
  const nonEmpty = (v: object | undefined | null) => v !== undefined && v !== null && Object.keys(v).length > 0;
  const own = [
    ['id', !!schema.id],
    ['schema', !!schema.$schema],
    ['$ref', !!schema.$ref],
    ['patternProperties', nonEmpty(schema.patternProperties)],
    ['dependencies', nonEmpty(schema.dependencies)],
    ['additionalItems', schema.additionalItems !== undefined && schema.additionalItems !== null],
    ['definitions', nonEmpty(schema.definitions)],
  ] as const;
  const keyword = own.find(([, present]) => present)?.[0];
  if (keyword !== undefined) return `OpenAPIV3Schema '${keyword}' is not supported`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return `internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined`;
  if (Array.isArray(schema.items) && schema.items.length > 0)
    return `OpenAPIV3Schema 'items' must be a schema, but is an array`;
  return nestedSchemas(schema)
    .map(unsupportedKeyword)
    .find((text) => text !== undefined);
}

function nestedSchemas(schema: JsonSchemaProps): JsonSchemaProps[] {
  return [
    ...junctors(schema, '').map(([s]) => s),
    itemsSchema(schema),
    ...properties(schema).map(([, s]) => s),
    valuesSchema(schema),
  ].filter((s) => s !== undefined);
}

/** The schemas under not, allOf, anyOf and oneOf with their paths. */
function junctors(schema: JsonSchemaProps, path: string): [JsonSchemaProps, string][] {
  const list = (name: 'allOf' | 'anyOf' | 'oneOf') =>
    (schema[name] ?? []).map((s, i): [JsonSchemaProps, string] => [s, field.index(field.child(path, name), i)]);
  const not: [JsonSchemaProps, string][] = schema.not ? [[schema.not, field.child(path, 'not')]] : [];
  return [...not, ...list('allOf'), ...list('anyOf'), ...list('oneOf')];
}

function invariants(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsSchema(schema);
  if (schema.type === 'array' && items === undefined)
    errors.push(field.required(field.child(path, 'items'), 'must be specified'));
  if (items !== undefined) errors.push(...invariants(items, 'item', field.child(path, 'items')));
  for (const [name, s] of properties(schema))
    errors.push(...invariants(s, 'field', field.key(field.child(path, 'properties'), name)));
  errors.push(...additionalPropertiesInvariants(schema, level, path));
  errors.push(...extensionInvariants(schema, path));
  errors.push(
    ...valueValidation(schema, path, {
      skipAnyOf: isIntOrStringAnyOf(schema),
      skipFirstAllOfAnyOf: isIntOrStringAnyOf(schema.allOf?.[0]),
    }),
  );
  errors.push(...typeInvariants(schema, level, path));
  errors.push(...resourceInvariants(schema, level, path));
  return errors;
}

function additionalPropertiesInvariants(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const at = field.child(path, 'additionalProperties');
  if (schema.additionalProperties === undefined || schema.additionalProperties === null) return [];
  const values = valuesSchema(schema);
  return [
    ...(level === 'root' ? [field.forbidden(at, 'must not be used at the root')] : []),
    ...(values === undefined ? [] : invariants(values, 'field', at)),
    ...(schema['x-kubernetes-embedded-resource']
      ? [field.forbidden(at, 'must not be used if x-kubernetes-embedded-resource is set')]
      : []),
  ];
}

function extensionInvariants(schema: JsonSchemaProps, path: string): FieldError[] {
  if (!schema['x-kubernetes-int-or-string']) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((name) => schema[name])
    .map((name) => field.invalid(field.child(path, name), true, 'must be false if x-kubernetes-int-or-string is true'));
}

const emptyType: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function typeInvariants(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const at = field.child(path, 'type');
  const type = schema.type ?? '';
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-embedded-resource'] && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? field.required(at, detail) : field.invalid(at, type, detail));
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields']) {
    errors.push(field.required(at, emptyType[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(field.invalid(at, type, 'must be object at the root'));
  return errors;
}

/** What holds where apiVersion, kind and metadata have their fixed meaning: at the root and in embedded resources. */
function resourceInvariants(schema: JsonSchemaProps, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const at = (name: string) => field.key(field.child(path, 'properties'), name);
  if (level === 'root' || embedded) {
    for (const name of ['kind', 'apiVersion']) {
      const declared = property(schema, name);
      if (declared !== undefined && declared.type !== 'string')
        errors.push(field.invalid(field.child(at(name), 'type'), declared.type ?? '', 'must be string'));
    }
  }
  const metadata = property(schema, 'metadata');
  if (metadata !== undefined) {
    if ((level === 'root' || embedded) && metadata.type !== 'object')
      errors.push(field.invalid(field.child(at('metadata'), 'type'), metadata.type ?? '', 'must be object'));
    if (level === 'root' && !restrictsNamesOnly(metadata))
      errors.push(
        field.forbidden(
          at('metadata'),
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      );
  }
  if (embedded && !schema['x-kubernetes-preserve-unknown-fields'] && properties(schema).length === 0)
    errors.push(
      field.required(
        field.child(path, 'properties'),
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  return errors;
}

function restrictsNamesOnly(metadata: JsonSchemaProps): boolean {
  const names = properties(metadata).map(([name]) => name);
  const isDefault = (v: unknown) => v === undefined || v === null || v === false || v === '' || isEmpty(v);
  return (
    names.every((name) => name === 'name' || name === 'generateName') &&
    Object.entries(metadata).every(
      ([keyword, v]) => keyword === 'properties' || keyword === 'type' || keyword === 'default' || isDefault(v),
    )
  );
}
const isEmpty = (v: unknown) => typeof v === 'object' && v !== null && Object.keys(v).length === 0;

const integerOrString = [{ type: 'integer' }, { type: 'string' }];
const isIntOrStringAnyOf = (schema: JsonSchemaProps | undefined): boolean => deepEqual(schema?.anyOf, integerOrString);

interface IntOrStringExceptions {
  readonly skipAnyOf: boolean;
  readonly skipFirstAllOfAnyOf: boolean;
}
const noExceptions: IntOrStringExceptions = { skipAnyOf: false, skipFirstAllOfAnyOf: false };

function valueValidation(schema: JsonSchemaProps, path: string, exceptions: IntOrStringExceptions): FieldError[] {
  const errors = junctors(schema, path)
    .filter(([, at]) => !(exceptions.skipAnyOf && at.startsWith(`${path}.anyOf[`)))
    .flatMap(([s, at]) =>
      nestedValidation(s, at, {
        skipAnyOf: exceptions.skipFirstAllOfAnyOf && at === `${path}.allOf[0]`,
        skipFirstAllOfAnyOf: false,
      }),
    );
  const pattern = patternError(schema.pattern);
  if (pattern !== undefined)
    errors.push(
      field.invalid(
        field.child(path, 'pattern'),
        schema.pattern,
        `must be a valid regular expression, but isn't: ${pattern}`,
      ),
    );
  return errors;
}

function patternError(pattern: string | undefined): string | undefined {
  if (pattern === undefined || pattern === '') return undefined;
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

const forbiddenWhenNested: readonly [keyof JsonSchemaProps, string][] = [
  ['type', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/** A schema inside allOf, anyOf, oneOf or not restricts values; it declares nothing. */
function nestedValidation(schema: JsonSchemaProps, path: string, exceptions: IntOrStringExceptions): FieldError[] {
  const errors = valueValidation(schema, path, exceptions);
  const items = itemsSchema(schema);
  if (items !== undefined) errors.push(...nestedValidation(items, field.child(path, 'items'), noExceptions));
  for (const [name, s] of properties(schema))
    errors.push(...nestedValidation(s, field.key(field.child(path, 'properties'), name), noExceptions));
  if (schema.additionalProperties)
    errors.push(field.forbidden(field.child(path, 'additionalProperties'), 'must be undefined to be structural'));
  for (const [keyword, detail] of forbiddenWhenNested) {
    if (isSet(schema, keyword)) errors.push(field.forbidden(field.child(path, keyword), detail));
  }
  if (property(schema, 'metadata') !== undefined)
    errors.push(
      field.forbidden(
        field.key(field.child(path, 'properties'), 'metadata'),
        'must not be specified in a nested context',
      ),
    );
  return errors;
}

function isSet(schema: JsonSchemaProps, keyword: keyof JsonSchemaProps): boolean {
  const value = schema[keyword];
  if (value === undefined || value === null) return false;
  return keyword === 'default' || keyword.endsWith('-type') || (!isEmpty(value) && !!value);
}

/** Whatever a junctor mentions must be declared outside of it: `s` is the declaring schema for `v`. */
function completeness(
  v: JsonSchemaProps,
  s: JsonSchemaProps | undefined,
  declaredPath: string,
  path: string,
): FieldError[] {
  return junctors(v, path).flatMap(([nested, at]) => nestedCompleteness(nested, s, declaredPath, at));
}

function nestedCompleteness(
  v: JsonSchemaProps,
  s: JsonSchemaProps | undefined,
  declaredPath: string,
  path: string,
): FieldError[] {
  if (s === undefined) return [field.required(declaredPath, `because it is defined in ${path}`)];
  const errors = completeness(v, s, declaredPath, path);
  const items = itemsSchema(v);
  if (items !== undefined)
    errors.push(
      ...nestedCompleteness(items, itemsSchema(s), field.child(declaredPath, 'items'), field.child(path, 'items')),
    );
  for (const [name, nested] of properties(v)) {
    const at = (p: string) => field.key(field.child(p, 'properties'), name);
    errors.push(...nestedCompleteness(nested, property(s, name), at(declaredPath), at(path)));
  }
  return errors;
}
