import { field, isSet, type FieldError } from '@apichain/meta';
import { wasEmpty, type ValidationRule } from '@apichain/scheme';
import {
  hasProperties,
  itemsSchema,
  properties,
  property,
  valuesSchema,
  type JsonSchemaProps,
} from '../json-schema-props.ts';
import { UnsupportedKeywords } from '../structural.ts';
import { resolveFieldPath } from './field-path.ts';
import { printItems } from './internal-form.ts';

/** The rules that depend on the position of a schema. They become stricter with depth. */
interface Position {
  readonly isRoot: boolean;
  readonly allowDefaults: boolean;
  readonly disallowDefaultsReason: string;
  readonly insideResourceMeta: boolean;
}

/** Rules that stored objects may violate: an update is not refused for a violation that is already stored. */
export interface SchemaValidationOptions {
  readonly requireValidPropertyType: boolean;
  readonly requireAtomicSetType: boolean;
  readonly requireMapListKeys: boolean;
  /**
   * Receives the paths of invalid schemas. If a list has invalid items, this is the path of the list, because the schema of the items may
   * be valid itself.
   */
  readonly refused?: Set<string>;
}

const metaFields: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);
const openApiTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

interface Checks extends SchemaValidationOptions {
  readonly unsupported: UnsupportedKeywords;
}

/** Checks the keywords of a CRD's schema, structural or not, and of all schemas in it. */
export function validateSchemaKeywords(
  schema: JsonSchemaProps,
  path: string,
  options: SchemaValidationOptions,
): FieldError[] {
  const errors: FieldError[] = [];
  const root: Position = { isRoot: true, allowDefaults: true, disallowDefaultsReason: '', insideResourceMeta: false };
  visit(errors, schema, path, root, { ...options, unsupported: new UnsupportedKeywords() });
  return errors;
}

function visit(errors: FieldError[], schema: JsonSchemaProps, path: string, position: Position, options: Checks): void {
  const before = errors.length;
  addKeywordErrors(errors, schema, path, position, options);
  if (schema.uniqueItems)
    errors.push(
      field.forbidden(
        field.child(path, 'uniqueItems'),
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  if (isSet(schema.additionalProperties) && schema.additionalProperties !== true && hasProperties(schema))
    errors.push(
      field.forbidden(
        field.child(path, 'additionalProperties'),
        'additionalProperties and properties are mutual exclusive',
      ),
    );
  for (const nested of nestedSchemas(schema, path, position))
    visit(errors, nested.schema, nested.path, nested.position, options);
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(
      field.invalid(field.child(path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'),
    );
  errors.push(...mapTypeErrors(schema, path), ...listTypeErrors(schema, path, options));
  if (schema['x-kubernetes-list-type'] === 'map') listMapErrors(errors, schema, path);
  if (options.requireMapListKeys) addListKeyErrors(errors, schema, path);
  ruleErrors(errors, schema, path, options);
  if (errors.length > before) options.refused?.add(path);
}

const nonEmpty = (value: object | undefined | null) =>
  value !== undefined && value !== null && Object.keys(value).length > 0;

function addKeywordErrors(
  errors: FieldError[],
  schema: JsonSchemaProps,
  path: string,
  position: Position,
  options: SchemaValidationOptions,
): void {
  const forbid = (name: string, when: boolean, detail: string) => {
    if (when) errors.push(field.forbidden(field.child(path, name), detail));
  };
  if (options.requireValidPropertyType && schema.type && !openApiTypes.includes(schema.type))
    errors.push(field.notSupported(field.child(path, 'type'), schema.type, openApiTypes));
  const reason = position.disallowDefaultsReason;
  forbid(
    'default',
    isSet(schema.default) && !position.allowDefaults,
    reason === '' ? 'must not be set' : `must not be set ${reason}`,
  );
  forbid('id', !!schema.id, 'id is not supported');
  forbid('additionalItems', isSet(schema.additionalItems), 'additionalItems is not supported');
  forbid('patternProperties', nonEmpty(schema.patternProperties), 'patternProperties is not supported');
  forbid('definitions', nonEmpty(schema.definitions), 'definitions is not supported');
  forbid(
    'dependencies',
    isSet(schema.dependencies) || wasEmpty(schema, 'dependencies'),
    'dependencies is not supported',
  );
  forbid('$ref', isSet(schema.$ref), '$ref is not supported');
  forbid('type', schema.type === 'null', 'type cannot be set to null, use nullable as an alternative');
  forbid(
    'items',
    Array.isArray(schema.items) && schema.items.length > 0,
    'items must be a schema object and not an array',
  );
  forbid(
    'x-kubernetes-embedded-resource',
    position.insideResourceMeta && schema['x-kubernetes-embedded-resource'] === true,
    'must not be used inside of resource meta',
  );
}

/** A schema in another one. */
interface Nested {
  readonly schema: JsonSchemaProps;
  readonly path: string;
  readonly position: Position;
}

/** The schemas in a schema, in the order of their errors. A list, so that a level takes one small frame of the call stack. */
function nestedSchemas(schema: JsonSchemaProps, path: string, outer: Position): Nested[] {
  const position = { ...outer, isRoot: false };
  const found: Nested[] = [];
  const add = (nested: JsonSchemaProps, at: string, here = position) =>
    found.push({ schema: nested, path: at, position: here });
  const at = (keyword: string) => field.child(path, keyword);
  const values = valuesSchema(schema);
  if (values !== undefined) add(values, at('additionalProperties'), ofValues(position));
  for (const [name, s] of properties(schema)) {
    const isMeta = (outer.isRoot || schema['x-kubernetes-embedded-resource'] === true) && metaFields.has(name);
    add(s, field.key(at('properties'), name), isMeta ? insideMeta(position, outer.isRoot, name) : position);
  }
  if (schema.not) add(schema.not, at('not'));
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [i, s] of (schema[name] ?? []).entries()) add(s, field.index(at(name), i));
  for (const [name, s] of Object.entries(schema.definitions ?? {})) add(s, field.key(at('definitions'), name));
  const items = itemsSchema(schema);
  if (items !== undefined) add(items, at('items'));
  if (Array.isArray(schema.items)) for (const [i, s] of schema.items.entries()) add(s, field.index(at('items'), i));
  for (const [name, s] of Object.entries(schema.dependencies ?? {}))
    if (isSet(s) && !Array.isArray(s)) add(s, field.key(at('dependencies'), name));
  return found;
}

const insideMeta = (position: Position, isRoot: boolean, name: string): Position => ({
  ...position,
  insideResourceMeta: true,
  ...(isRoot ? { allowDefaults: false, disallowDefaultsReason: `in top-level ${name}` } : {}),
});

const ofValues = (position: Position): Position =>
  position.insideResourceMeta
    ? {
        ...position,
        allowDefaults: false,
        disallowDefaultsReason: 'inside additionalProperties applying to object metadata',
      }
    : position;

function wrongType(schema: JsonSchemaProps, path: string, expected: string, extension: string): FieldError[] {
  if (schema.type === expected) return [];
  const detail = `must be ${expected} if ${extension} is specified`;
  const at = field.child(path, 'type');
  return [schema.type ? field.invalid(at, schema.type, detail) : field.required(at, detail)];
}

function mapTypeErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (!isSet(mapType)) return [];
  const errors = wrongType(schema, path, 'object', 'x-kubernetes-map-type');
  if (mapType !== 'atomic' && mapType !== 'granular')
    errors.push(field.notSupported(field.child(path, 'x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  return errors;
}

function listTypeErrors(schema: JsonSchemaProps, path: string, options: SchemaValidationOptions): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const at = field.child(path, 'x-kubernetes-list-type');
  const errors: FieldError[] = [];
  if (isSet(listType)) {
    if (schema.type !== 'array') errors.push(...wrongType(schema, path, 'array', 'x-kubernetes-list-type'));
    else if (options.requireAtomicSetType) errors.push(...nonAtomicSetErrors(schema, path));
    if (listType !== 'atomic' && listType !== 'set' && listType !== 'map')
      errors.push(field.notSupported(at, listType, ['atomic', 'set', 'map']));
  }
  if ((schema['x-kubernetes-list-map-keys'] ?? []).length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(isSet(listType) ? field.invalid(at, listType, detail) : field.required(at, detail));
  }
  return errors;
}

/** Lists and maps in a set must be atomic: only items that are replaced as a whole keep the set consistent. */
export function nonAtomicSetErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  const items = itemsSchema(schema);
  if (schema['x-kubernetes-list-type'] !== 'set' || items === undefined) return [];
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const at = (name: string) => field.child(path, 'items', name);
  const listType = items['x-kubernetes-list-type'] ?? null;
  if (items.type === 'array' && listType !== null && listType !== 'atomic')
    return [field.invalid(at('x-kubernetes-list-type'), listType, detail)];
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [field.invalid(at('x-kubernetes-map-type'), listType, detail)];
  return [];
}

function listMapErrors(errors: FieldError[], schema: JsonSchemaProps, path: string): void {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keysPath = field.child(path, 'x-kubernetes-list-map-keys');
  if (keys.length === 0) errors.push(field.required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  const itemsPath = field.child(path, 'items');
  if (!isSet(schema.items))
    errors.push(field.required(itemsPath, 'must have a schema if x-kubernetes-list-type is map'));
  const items = itemsSchema(schema);
  if (items === undefined) {
    if (isSet(schema.items))
      errors.push(
        field.invalid(
          itemsPath,
          printItems(schema.items),
          'must only have a single schema if x-kubernetes-list-type is map',
        ),
      );
    return;
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(field.invalid(field.child(itemsPath, 'type'), items.type ?? '', detail));
    return;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const declared = property(items, key);
    if (declared === undefined)
      errors.push(field.invalid(keysPath, keys, 'entries must all be names of item properties'));
    else if (declared.type === 'array' || declared.type === 'object')
      errors.push(
        field.invalid(
          field.child(field.key(field.child(itemsPath, 'properties'), key), 'type'),
          items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (seen.has(key)) errors.push(field.invalid(keysPath, keys, 'must not contain duplicate entries'));
    seen.add(key);
  }
}

/** Whether the keys or items of a list violate their rules. */
export function hasListKeyErrors(schema: JsonSchemaProps): boolean {
  const errors: FieldError[] = [];
  addListKeyErrors(errors, schema, '');
  return errors.length > 0;
}

/** The keys of list-type=map must be required or have a default, and items of sets and maps must not be nullable. */
function addListKeyErrors(errors: FieldError[], schema: JsonSchemaProps, path: string): void {
  const items = itemsSchema(schema);
  const listType = schema['x-kubernetes-list-type'];
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return;
  if (items.nullable)
    errors.push(
      field.forbidden(
        field.child(path, 'items', 'nullable'),
        `cannot be nullable when x-kubernetes-list-type is ${listType}`,
      ),
    );
  if (listType === 'set') return;
  const required = new Set(items.required ?? []);
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const declared = property(items, key);
    if (declared === undefined) continue;
    const at = field.key(field.child(path, 'items', 'properties'), key);
    const inKeys = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!required.has(key) && !isSet(declared.default))
      errors.push(
        field.required(field.child(at, 'default'), `${inKeys} must have a default or be a required property`),
      );
    if (declared.nullable) errors.push(field.forbidden(field.child(at, 'nullable'), `${inKeys} cannot be nullable`));
  }
}

const supportedReasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const hasLineBreak = (text: string) => /[\n\r]/.test(text);

/** Checks the form of x-kubernetes-validations. The RuleEvaluator checks whether the expressions compile. */
function ruleErrors(errors: FieldError[], schema: JsonSchemaProps, path: string, options: Checks): void {
  const rules = schema['x-kubernetes-validations'] ?? [];
  for (const [i, rule] of rules.entries()) {
    addRuleErrors(errors, rule, field.index(field.child(path, 'x-kubernetes-validations'), i));
    fieldPathErrors(errors, rule.fieldPath ?? '', schema, i, path, options);
  }
}

function addRuleErrors(errors: FieldError[], rule: ValidationRule, path: string): void {
  const at = (name: string) => field.child(path, name);
  const message = rule.message ?? '';
  if (rule.rule.trim() === '') errors.push(field.required(at('rule'), 'rule is not specified'));
  else if (message !== '' && message.trim() === '')
    errors.push(field.invalid(at('message'), message, 'must be non-empty if specified'));
  else if (hasLineBreak(message.trim()))
    errors.push(field.invalid(at('message'), message, 'must not contain line breaks'));
  else if (hasLineBreak(rule.rule.trim()) && message.trim() === '')
    errors.push(field.required(at('message'), 'message must be specified if rule contains line breaks'));
  if (rule.messageExpression && rule.messageExpression.trim() === '')
    errors.push(field.required(at('messageExpression'), 'messageExpression must be non-empty if specified'));
  if (isSet(rule.reason) && !supportedReasons.includes(rule.reason ?? ''))
    errors.push(field.notSupported(at('reason'), rule.reason, supportedReasons));
}

function fieldPathErrors(
  errors: FieldError[],
  fieldPath: string,
  schema: JsonSchemaProps,
  i: number,
  path: string,
  options: Checks,
): void {
  if (fieldPath === '') return;
  const at = field.child(field.index(field.child(path, 'x-kubernetes-validations'), i), 'fieldPath');
  if (fieldPath.trim() === '') errors.push(field.invalid(at, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(fieldPath)) errors.push(field.invalid(at, fieldPath, 'must not contain line breaks'));
  if (options.unsupported.find(schema) !== undefined) return;
  if ('problem' in resolveFieldPath(fieldPath, schema, { arrayNotation: true }))
    errors.push(field.invalid(at, fieldPath, 'must be a valid path'));
}
