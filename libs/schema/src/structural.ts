import { deepEqual, field, type FieldError } from '@apichain/meta';
import {
  itemsSchema,
  properties,
  property,
  valuesSchema,
  type JsonSchemaProps,
  type SchemaKeyword,
} from './json-schema-props.ts';
import { patternProblem } from './pattern.ts';
import { sortErrors } from './sorted-errors.ts';

type Level = 'root' | 'item' | 'field';

/**
 * Why a schema is not structural: errors at paths below `path`, sorted as in kube-apiserver; empty if it is structural.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function validateStructural(schema: JsonSchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  invariants(errors, schema, 'root', path);
  completeness(errors, schema, schema, path, path);
  return sortErrors(errors);
}

/** Whether a schema is structural: it then says of each field of which type it is. */
export const isStructural = (schema: JsonSchemaProps): boolean =>
  new UnsupportedKeywords().find(schema) === undefined && validateStructural(schema, '').length === 0;

/** Finds the first keyword in a schema, or in the schemas in it, that is never structural. Every schema is examined once. */
export class UnsupportedKeywords {
  readonly #known = new Map<JsonSchemaProps, string | undefined>();

  /** The error message for the first such keyword; undefined if there is none. */
  find(schema: JsonSchemaProps): string | undefined {
    if (this.#known.has(schema)) return this.#known.get(schema);
    let found = ownUnsupportedKeyword(schema);
    if (found === undefined)
      for (const nested of nestedSchemas(schema)) if ((found = this.find(nested)) !== undefined) break;
    this.#known.set(schema, found);
    return found;
  }
}

function ownUnsupportedKeyword(schema: JsonSchemaProps): string | undefined {
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
  return undefined;
}

const nestedSchemas = (schema: JsonSchemaProps): JsonSchemaProps[] =>
  [
    ...junctors(schema, '').map(([nested]) => nested),
    itemsSchema(schema),
    ...properties(schema).map(([, nested]) => nested),
    valuesSchema(schema),
  ].filter((nested) => nested !== undefined);

/** The schemas under not, allOf, anyOf and oneOf with their paths. */
function junctors(schema: JsonSchemaProps, path: string): (readonly [JsonSchemaProps, string])[] {
  const found: (readonly [JsonSchemaProps, string])[] = schema.not ? [[schema.not, field.child(path, 'not')]] : [];
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const [i, nested] of (schema[name] ?? []).entries())
      found.push([nested, field.index(field.child(path, name), i)]);
  return found;
}

function invariants(errors: FieldError[], schema: JsonSchemaProps, level: Level, path: string): void {
  const items = itemsSchema(schema);
  if (schema.type === 'array' && items === undefined)
    errors.push(field.required(field.child(path, 'items'), 'must be specified'));
  if (items !== undefined) invariants(errors, items, 'item', field.child(path, 'items'));
  for (const [name, s] of properties(schema))
    invariants(errors, s, 'field', field.key(field.child(path, 'properties'), name));
  additionalPropertiesInvariants(errors, schema, level, path);
  errors.push(...extensionInvariants(schema, path));
  valueValidation(errors, schema, path, {
    skipAnyOf: isIntOrStringAnyOf(schema),
    skipFirstAllOfAnyOf: isIntOrStringAnyOf(schema.allOf?.[0]),
  });
  errors.push(...typeInvariants(schema, level, path));
  errors.push(...resourceInvariants(schema, level, path));
}

function additionalPropertiesInvariants(
  errors: FieldError[],
  schema: JsonSchemaProps,
  level: Level,
  path: string,
): void {
  const at = field.child(path, 'additionalProperties');
  if (schema.additionalProperties === undefined || schema.additionalProperties === null) return;
  const values = valuesSchema(schema);
  if (level === 'root') errors.push(field.forbidden(at, 'must not be used at the root'));
  if (values !== undefined) invariants(errors, values, 'field', at);
  if (schema['x-kubernetes-embedded-resource'])
    errors.push(field.forbidden(at, 'must not be used if x-kubernetes-embedded-resource is set'));
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

/** The rules where apiVersion, kind and metadata have their fixed meaning: at the root and in embedded resources. */
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

function valueValidation(
  errors: FieldError[],
  schema: JsonSchemaProps,
  path: string,
  exceptions: IntOrStringExceptions,
): void {
  const anyOf = `${path}.anyOf[`;
  const firstAllOf = `${path}.allOf[0]`;
  for (const [s, at] of junctors(schema, path)) {
    if (exceptions.skipAnyOf && at.startsWith(anyOf)) continue;
    nestedValidation(errors, s, at, {
      skipAnyOf: exceptions.skipFirstAllOfAnyOf && at === firstAllOf,
      skipFirstAllOfAnyOf: false,
    });
  }
  const pattern = schema.pattern ? patternProblem(schema.pattern) : undefined;
  if (pattern !== undefined)
    errors.push(
      field.invalid(
        field.child(path, 'pattern'),
        schema.pattern,
        `must be a valid regular expression, but isn't: ${pattern}`,
      ),
    );
}

const forbiddenWhenNested: readonly [SchemaKeyword, string][] = [
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

/** A schema inside allOf, anyOf, oneOf or not restricts values and declares nothing. */
function nestedValidation(
  errors: FieldError[],
  schema: JsonSchemaProps,
  path: string,
  exceptions: IntOrStringExceptions,
): void {
  valueValidation(errors, schema, path, exceptions);
  const items = itemsSchema(schema);
  if (items !== undefined) nestedValidation(errors, items, field.child(path, 'items'), noExceptions);
  for (const [name, s] of properties(schema))
    nestedValidation(errors, s, field.key(field.child(path, 'properties'), name), noExceptions);
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
}

function isSet(schema: JsonSchemaProps, keyword: SchemaKeyword): boolean {
  const value = schema[keyword];
  if (value === undefined || value === null) return false;
  return keyword === 'default' || keyword.endsWith('-type') || (!isEmpty(value) && !!value);
}

/** Everything that a junctor mentions must be declared outside of it: `s` is the declaring schema for `v`. */
function completeness(
  errors: FieldError[],
  v: JsonSchemaProps,
  s: JsonSchemaProps | undefined,
  declaredPath: string,
  path: string,
): void {
  for (const [nested, at] of junctors(v, path)) nestedCompleteness(errors, nested, s, declaredPath, at);
}

function nestedCompleteness(
  errors: FieldError[],
  v: JsonSchemaProps,
  s: JsonSchemaProps | undefined,
  declaredPath: string,
  path: string,
): void {
  if (s === undefined) {
    errors.push(field.required(declaredPath, `because it is defined in ${path}`));
    return;
  }
  completeness(errors, v, s, declaredPath, path);
  const items = itemsSchema(v);
  if (items !== undefined)
    nestedCompleteness(errors, items, itemsSchema(s), field.child(declaredPath, 'items'), field.child(path, 'items'));
  for (const [name, nested] of properties(v)) {
    const at = (p: string) => field.key(field.child(p, 'properties'), name);
    nestedCompleteness(errors, nested, property(s, name), at(declaredPath), at(path));
  }
}
