import { deepClone, deepEqual, isRecord, field, type FieldError, type JsonObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { sortKeys } from '../sort-keys.ts';
import { itemsSchema, properties, type JsonSchemaProps } from '../json-schema-props.ts';
import { coerceObjectMeta, validateEmbeddedResources, type ObjectMetaRules } from '../object-meta.ts';
import { prune } from '../prune.ts';
import { structuralType } from '../structural-type.ts';
import { compileSchema } from '../validate.ts';
import type { RuleEvaluator } from '../rules.ts';

interface Position {
  /** The nearest enclosing resource: the root or an embedded resource. */
  readonly root: JsonSchemaProps;
  /** Builds the smallest such resource around a value at this place. */
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

/** Checks every default of a structural schema: it must satisfy its own schema and survive pruning. */
export function validateDefaults(schema: JsonSchemaProps, path: string, options: DefaultsOptions): FieldError[] {
  const root: JsonSchemaProps = { ...schema, 'x-kubernetes-embedded-resource': true };
  const errors = visit(root, path, { root, surround: asRoot, insideMeta: false }, options);
  if (root.default !== undefined) schema.default = root.default;
  return errors;
}

function visit(schema: JsonSchemaProps, path: string, outer: Position, options: DefaultsOptions): FieldError[] {
  const position: Position = schema['x-kubernetes-embedded-resource']
    ? { root: schema, surround: asRoot, insideMeta: false }
    : outer;
  const errors =
    schema.default === undefined || schema.default === null
      ? []
      : position.insideMeta
        ? defaultInMeta(schema, field.child(path, 'default'), position, options)
        : defaultErrors(schema, field.child(path, 'default'), options);
  const items = itemsSchema(schema);
  if (items !== undefined)
    errors.push(
      ...visit(items, field.child(path, 'items'), { ...position, surround: (v) => position.surround([v]) }, options),
    );
  for (const [name, s] of properties(schema)) {
    const meta = schema['x-kubernetes-embedded-resource'] === true && ['metadata', 'apiVersion', 'kind'].includes(name);
    errors.push(
      ...visit(
        s,
        field.key(field.child(path, 'properties'), name),
        {
          ...position,
          insideMeta: position.insideMeta || meta,
          surround: (v) => position.surround({ [name]: v }),
        },
        options,
      ),
    );
  }
  return errors;
}

function defaultErrors(schema: JsonSchemaProps, path: string, options: DefaultsOptions): FieldError[] {
  const value: unknown = deepClone(schema.default);
  const type = structuralType(schema);
  const errors: FieldError[] = [];
  if (options.requirePruned) {
    const pruned: unknown = deepClone(value);
    prune(pruned, type, schema['x-kubernetes-embedded-resource'] === true);
    if (!deepEqual(pruned, value))
      errors.push(field.invalid(path, sortKeys(schema.default), 'must not have unknown fields'));
  }
  const isResourceRoot = schema['x-kubernetes-embedded-resource'] === true;
  const coerced = coerceObjectMeta(value, type, {
    rules: options.metadata,
    path,
    isResourceRoot,
    dropInvalidFields: false,
  });
  if (coerced.error !== undefined) return [...errors, coerced.error];
  // Unknown metadata in a default is dropped from the schema itself, as the real server does.
  if (isRecord(value)) schema.default = value as JsonObject;
  const embedded = validateEmbeddedResources(value, type, path, options.metadata);
  if (embedded.length > 0) return [...errors, ...embedded];
  return [...errors, ...valueErrors(schema, type, path, options)];
}

/** A default inside metadata is judged within the resource it completes. */
function defaultInMeta(
  schema: JsonSchemaProps,
  path: string,
  position: Position,
  options: DefaultsOptions,
): FieldError[] {
  const whole = position.surround(deepClone(schema.default));
  const type = structuralType(position.root);
  const refuse = (why: string) => [
    field.invalid(path, sortKeys(schema.default), `must result in valid metadata: ${why}`),
  ];
  const coerced = coerceObjectMeta(whole, type, {
    rules: options.metadata,
    path: '',
    isResourceRoot: true,
    dropInvalidFields: false,
  });
  if (coerced.error !== undefined) return refuse(`${coerced.error.field}: ${coerced.error.message}`);
  const embedded = validateEmbeddedResources(whole, { ...type, embeddedResource: true }, '', options.metadata);
  if (embedded.length > 0) return refuse(aggregate(embedded));
  return valueErrors(schema, structuralType(schema), path, options);
}

function aggregate(errors: readonly FieldError[]): string {
  const texts = errors.map((e) => `${e.field}: ${e.message}`);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function valueErrors(schema: JsonSchemaProps, type: Type, path: string, options: DefaultsOptions): FieldError[] {
  const validator = compileSchema(schema, { intOrStringTyped: false, isResourceRoot: false });
  const errors = validator.validate(schema.default, path);
  if (errors.length > 0 || options.rules === undefined) return errors;
  return options.rules.evaluateDefault(type, schema.default, path);
}
