import {
  errorMessage,
  isRecord,
  field,
  isDNS1035Label,
  parseGroupVersion,
  setOwn,
  validateObjectMeta,
  validatePathSegmentName,
  type FieldError,
} from '@apichain/meta';
import { someTypeWithin, decodeObject, type Type } from '@apichain/scheme';
import { sortKeys } from './sort-keys.ts';

/** The rules of the built-in ObjectMeta type. They are passed in because the built-in kinds are in a higher layer. */
export interface ObjectMetaRules {
  /**
   * Decodes a `metadata` value as ObjectMeta. Unknown fields are dropped and reported relative to metadata (`bogus`,
   * `ownerReferences[0].x`). Throws Error with Go's message if a known field has the wrong type, e.g.
   * `json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`.
   */
  decode(metadata: unknown): { metadata: Record<string, unknown>; unknownFields: string[] };
  /** Applies the generic metadata rules of a create. Names follow the path-segment rule. */
  validate(metadata: Record<string, unknown>, path: string, namespaced: boolean): FieldError[];
}

export interface CoerceResult {
  /** The first problem. Coercion stops there. */
  readonly error?: FieldError;
  /** The dotted paths of dropped unknown metadata fields, sorted. */
  readonly unknownFields: string[];
}

interface Coercion {
  readonly rules: ObjectMetaRules;
  readonly dropInvalidFields: boolean;
  readonly unknownFields: string[];
}

/**
 * Normalises, in place, apiVersion, kind and metadata of the embedded resources in `object`. On reads (`dropInvalidFields`) malformed
 * fields are dropped; on writes they are errors.
 */
export function coerceObjectMeta(
  object: unknown,
  type: Type | undefined,
  options: { rules: ObjectMetaRules; path: string; isResourceRoot: boolean; dropInvalidFields: boolean },
): CoerceResult {
  const coercion: Coercion = {
    rules: options.rules,
    dropInvalidFields: options.dropInvalidFields,
    unknownFields: [],
  };
  const root: Type | undefined = options.isResourceRoot
    ? { ...(type ?? { kind: 'object' }), embeddedResource: true }
    : type;
  const error = coerce(object, root, options.path, coercion);
  return { ...(error === undefined ? {} : { error }), unknownFields: coercion.unknownFields.sort() };
}

/** Whether the type or any type in it is an embedded resource. */
export const hasEmbeddedResources = someTypeWithin(({ embeddedResource }) => embeddedResource === true);

function coerce(value: unknown, type: Type | undefined, path: string, c: Coercion): FieldError | undefined {
  if (type === undefined || !hasEmbeddedResources(type)) return undefined;
  if (Array.isArray(value))
    return firstError(value.entries(), ([i, item]) => coerce(item, type.items, field.index(path, i), c));
  if (!isRecord(value)) return undefined;
  return firstError(Object.keys(value), (key) => {
    const own = type.embeddedResource ? coerceResourceField(value, key, path, c) : undefined;
    if (own !== undefined) return own;
    const declared = type.byName?.get(key);
    return declared === undefined
      ? coerce(value[key], type.values, field.key(path, key), c)
      : coerce(value[key], declared.type, field.child(path, key), c);
  });
}

function firstError<T>(items: Iterable<T>, check: (item: T) => FieldError | undefined): FieldError | undefined {
  for (const item of items) {
    const error = check(item);
    if (error !== undefined) return error;
  }
  return undefined;
}

function coerceResourceField(
  resource: Record<string, unknown>,
  key: string,
  path: string,
  c: Coercion,
): FieldError | undefined {
  if (key === 'metadata') return coerceMetadata(resource, path, c);
  if ((key !== 'apiVersion' && key !== 'kind') || typeof resource[key] === 'string') return undefined;
  if (!c.dropInvalidFields) return field.invalid(field.child(path, key), sortKeys(resource[key]), 'must be a string');
  delete resource[key];
  return undefined;
}

function coerceMetadata(resource: Record<string, unknown>, path: string, c: Coercion): FieldError | undefined {
  const at = field.child(path, 'metadata');
  try {
    const { metadata, unknownFields } = c.rules.decode(resource.metadata);
    for (const name of unknownFields) c.unknownFields.push(field.child(at, name));
    resource.metadata = withoutNullTimestamp(metadata);
    return undefined;
  } catch (error) {
    const text = errorMessage(error);
    if (!c.dropInvalidFields) return field.invalid(at, sortKeys(resource.metadata), text);
    if (isRecord(resource.metadata)) resource.metadata = decodableFields(resource.metadata, c.rules);
    return undefined;
  }
}

function withoutNullTimestamp(metadata: Record<string, unknown>): Record<string, unknown> {
  if (metadata.creationTimestamp === null) delete metadata.creationTimestamp;
  return metadata;
}

/** Decodes the fields separately and keeps those that are valid. */
export function decodableFields(metadata: Record<string, unknown>, rules: ObjectMetaRules): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(metadata)) {
    const decoded = tryDecode({ [name]: value }, rules);
    for (const [k, v] of Object.entries(decoded)) setOwn(kept, k, v);
  }
  return withoutNullTimestamp(kept);
}

function tryDecode(metadata: Record<string, unknown>, rules: ObjectMetaRules): Record<string, unknown> {
  try {
    return rules.decode(metadata).metadata;
  } catch (error) {
    if (error instanceof Error) return {};
    throw error;
  }
}

/** Checks apiVersion, kind and metadata of every embedded resource in `value`. */
export function validateEmbeddedResources(
  value: unknown,
  type: Type | undefined,
  path: string,
  rules: ObjectMetaRules,
): FieldError[] {
  return field.collect((out) => addResourceErrors(out, value, type, path, rules));
}

function addResourceErrors(
  out: FieldError[],
  value: unknown,
  type: Type | undefined,
  path: string,
  rules: ObjectMetaRules,
): void {
  if (type === undefined || !hasEmbeddedResources(type)) return;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) addResourceErrors(out, item, type.items, field.index(path, i), rules);
    return;
  }
  if (!isRecord(value)) return;
  if (type.embeddedResource) for (const error of validateResource(value, path, rules)) out.push(error);
  for (const key of Object.keys(value)) {
    const declared = type.byName?.get(key);
    if (declared === undefined) addResourceErrors(out, value[key], type.values, field.key(path, key), rules);
    else addResourceErrors(out, value[key], declared.type, field.child(path, key), rules);
  }
}

function validateResource(resource: Record<string, unknown>, path: string, rules: ObjectMetaRules): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['apiVersion', 'kind'] as const) {
    const at = field.child(path, name);
    if (!Object.hasOwn(resource, name)) errors.push(field.required(at));
    else errors.push(...validateTypeField(name, resource[name], at));
  }
  if (Object.hasOwn(resource, 'metadata'))
    errors.push(...validateMetadata(resource.metadata, field.child(path, 'metadata'), rules));
  return errors;
}

/** The metadata of an applied object has not been coerced: it may contain unknown fields, null, and values that do not decode. */
function validateMetadata(value: unknown, path: string, rules: ObjectMetaRules): FieldError[] {
  try {
    const metadata = withoutNullTimestamp({ ...rules.decode(value).metadata });
    if (metadata.name === undefined || metadata.name === '') metadata.name = 'fakename';
    const namespaced = typeof metadata.namespace === 'string' && metadata.namespace !== '';
    return rules.validate(metadata, path, namespaced);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [field.invalid(path, sortKeys(value), error.message)];
  }
}

function validateTypeField(name: 'apiVersion' | 'kind', value: unknown, path: string): FieldError[] {
  if (typeof value !== 'string') return [field.invalid(path, sortKeys(value), 'must be a string')];
  if (value === '') return [field.invalid(path, value, 'must not be empty')];
  if (name === 'kind') {
    const problems = isDNS1035Label(value.toLowerCase());
    return problems.length === 0
      ? []
      : [field.invalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`)];
  }
  try {
    parseGroupVersion(value);
    return [];
  } catch (error) {
    return [field.invalid(path, value, errorMessage(error))];
  }
}

/** The rules of ObjectMeta. `objectMeta` is the built-in Type `meta.v1.ObjectMeta`. */
export const objectMetaRules = (objectMeta: Type): ObjectMetaRules => ({
  decode(metadata) {
    const { object, unknownFields } = decodeAsMap(metadata, objectMeta);
    if (object.creationTimestamp === null) delete object.creationTimestamp;
    return { metadata: object, unknownFields };
  },
  validate: (metadata, path, namespaced) => validateObjectMeta(metadata, namespaced, validatePathSegmentName, path),
});

/** Go decodes a map, whose members are sorted by name. The first error in that order is reported. */
function decodeAsMap(metadata: unknown, objectMeta: Type): ReturnType<typeof decodeObject> {
  try {
    return decodeObject(metadata, objectMeta);
  } catch {
    return decodeObject(sortKeys(metadata), objectMeta);
  }
}
