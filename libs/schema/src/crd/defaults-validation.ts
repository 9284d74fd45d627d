import { deepClone, deepEqual, field, isRecord, type FieldError, type JsonObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { sortKeys } from '../sort-keys.ts';
import { someSchema, itemsSchema, properties, type JsonSchemaProps } from '../json-schema-props.ts';
import { coerceObjectMeta, validateEmbeddedResources, type ObjectMetaRules } from '../object-meta.ts';
import { prune } from '../prune.ts';
import { structuralType, type StructuralTypes } from '../structural-type.ts';
import { compileSchema } from '../validate.ts';
import type { RuleEvaluator } from '../rules.ts';

interface Position {
  /** The nearest enclosing resource: the root or an embedded resource. */
  readonly root: JsonSchemaProps;
  /** Builds the smallest such resource that contains a value at this position. */
  readonly surround: (value: unknown) => unknown;
  readonly insideMeta: boolean;
}

export interface DefaultsOptions {
  readonly metadata: ObjectMetaRules;
  readonly requirePruned: boolean;
  readonly rules?: RuleEvaluator;
}

const resource = (): Record<string, unknown> => ({ apiVersion: 'validation/v1', kind: 'Validation' });
const asRoot = (value: unknown): unknown => (isRecord(value) ? { ...resource(), ...value } : value);

/** The state shared by the checks of all defaults of a schema. */
interface Checks extends DefaultsOptions {
  /** The types of the schemas. Each default is checked against its own schema. Schemas are nested, so each is converted to a type once. */
  readonly types: StructuralTypes;
}

/** Checks every default of a structural schema: it must satisfy its own schema and must not be pruned. */
export function validateDefaults(schema: JsonSchemaProps, path: string, options: DefaultsOptions): FieldError[] {
  const hasDefault = (s: JsonSchemaProps) => s.default !== undefined && s.default !== null;
  if (!someSchema(schema, hasDefault)) return [];
  const root: JsonSchemaProps = { ...schema, 'x-kubernetes-embedded-resource': true };
  const types: StructuralTypes = new Map();
  structuralType(root, types);
  const errors: FieldError[] = [];
  visit(errors, root, path, { root, surround: asRoot, insideMeta: false }, { ...options, types });
  if (root.default !== undefined) schema.default = root.default;
  return errors;
}

function visit(errors: FieldError[], schema: JsonSchemaProps, path: string, outer: Position, checks: Checks): void {
  const position: Position = schema['x-kubernetes-embedded-resource']
    ? { root: schema, surround: asRoot, insideMeta: false }
    : outer;
  if (schema.default !== undefined && schema.default !== null) {
    const at = field.child(path, 'default');
    const found = position.insideMeta ? defaultInMeta(schema, at, position, checks) : defaultErrors(schema, at, checks);
    for (const error of found) errors.push(error);
  }
  const items = itemsSchema(schema);
  if (items !== undefined) {
    const ofItem = { ...position, surround: (v: unknown) => position.surround([v]) };
    visit(errors, items, field.child(path, 'items'), ofItem, checks);
  }
  for (const [name, s] of properties(schema)) {
    const meta = schema['x-kubernetes-embedded-resource'] === true && ['metadata', 'apiVersion', 'kind'].includes(name);
    const ofProperty = {
      ...position,
      insideMeta: position.insideMeta || meta,
      surround: (v: unknown) => position.surround({ [name]: v }),
    };
    visit(errors, s, field.key(field.child(path, 'properties'), name), ofProperty, checks);
  }
}

function typeOf(schema: JsonSchemaProps, { types }: Checks): Type {
  const type = types.get(schema);
  if (type === undefined) throw new Error('a default stands outside of what its schema declares');
  return type;
}

/** Yields after each operation, because a default may be large. */
function defaultErrors(schema: JsonSchemaProps, path: string, checks: Checks): FieldError[] {
  const value: unknown = deepClone(schema.default);
  const type = typeOf(schema, checks);
  const errors: FieldError[] = [];
  if (checks.requirePruned) {
    const pruned: unknown = deepClone(value);
    prune(pruned, type, schema['x-kubernetes-embedded-resource'] === true);
    if (!deepEqual(pruned, value))
      errors.push(field.invalid(path, sortKeys(schema.default), 'must not have unknown fields'));
  }
  const isResourceRoot = schema['x-kubernetes-embedded-resource'] === true;
  const coerced = coerceObjectMeta(value, type, {
    rules: checks.metadata,
    path,
    isResourceRoot,
    dropInvalidFields: false,
  });
  if (coerced.error !== undefined) return [...errors, coerced.error];
  // As in kube-apiserver, unknown metadata in a default is removed from the schema itself.
  if (isRecord(value)) schema.default = value as JsonObject;
  const embedded = validateEmbeddedResources(value, type, path, checks.metadata);
  if (embedded.length > 0) return [...errors, ...embedded];
  return [...errors, ...valueErrors(schema, type, path, checks)];
}

/** A default inside metadata is validated as part of its enclosing resource. */
function defaultInMeta(schema: JsonSchemaProps, path: string, position: Position, checks: Checks): FieldError[] {
  const whole = position.surround(deepClone(schema.default));
  const type = typeOf(position.root, checks);
  const refuse = (why: string) => [
    field.invalid(path, sortKeys(schema.default), `must result in valid metadata: ${why}`),
  ];
  const coerced = coerceObjectMeta(whole, type, {
    rules: checks.metadata,
    path: '',
    isResourceRoot: true,
    dropInvalidFields: false,
  });
  if (coerced.error !== undefined) return refuse(`${coerced.error.field}: ${coerced.error.message}`);
  const embedded = validateEmbeddedResources(whole, { ...type, embeddedResource: true }, '', checks.metadata);
  if (embedded.length > 0) return refuse(aggregate(embedded));
  return valueErrors(schema, typeOf(schema, checks), path, checks);
}

function aggregate(errors: readonly FieldError[]): string {
  const texts = errors.map((e) => `${e.field}: ${e.message}`);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function valueErrors(schema: JsonSchemaProps, type: Type, path: string, checks: Checks): FieldError[] {
  const validator = compileSchema(schema, { intOrStringTyped: false, isResourceRoot: false });
  const errors = validator.validate(schema.default, path);
  if (errors.length > 0 || checks.rules === undefined) return errors;
  return checks.rules.evaluateDefault(type, schema.default, path);
}
