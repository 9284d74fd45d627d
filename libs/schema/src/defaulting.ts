import type { Type } from '@apichain/scheme';
import { cloneJson, isObject, setOwn } from './equal.ts';

/**
 * Fills in, in place, the defaults of what is absent, and of nulls where null is not allowed.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
export function applyDefaults(value: unknown, type: Type | undefined): void {
  if (type === undefined || !hasDefaults(type)) return;
  if (Array.isArray(value)) defaultList(value, type.items);
  else if (isObject(value)) defaultObject(value, type);
}

function defaultList(list: unknown[], items: Type | undefined): void {
  if (items === undefined) return;
  for (const [i, item] of list.entries()) {
    if (item === null && !items.nullable && items.default !== undefined) list[i] = cloneJson(items.default);
    applyDefaults(list[i], items);
  }
}

function defaultObject(object: Record<string, unknown>, type: Type): void {
  for (const field of type.fields ?? []) {
    if (field.type.default === undefined) continue;
    if (!Object.hasOwn(object, field.name) || (object[field.name] === null && !field.type.nullable))
      setOwn(object, field.name, cloneJson(field.type.default));
  }
  for (const key of Object.keys(object)) {
    const declared = type.byName?.get(key)?.type;
    if (declared !== undefined) {
      applyDefaults(object[key], declared);
    } else if (type.values !== undefined) {
      if (object[key] === null && !type.values.nullable && type.values.default !== undefined)
        setOwn(object, key, cloneJson(type.values.default));
      applyDefaults(object[key], type.values);
    }
  }
}

/**
 * Removes, in place, the nulls of fields that may not be null and have no default to take their place. Lists keep their length.
 */
export function pruneNulls(value: unknown, type: Type | undefined): void {
  if (type === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) pruneNulls(item, type.items);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const declared = type.byName?.get(key)?.type ?? describedValues(type);
      if (declared === undefined) continue;
      if (value[key] === null && !declared.nullable && declared.default === undefined) delete value[key];
      else pruneNulls(value[key], declared);
    }
  }
}

/** The type of undeclared keys where the schema says anything about them. */
const describedValues = (type: Type): Type | undefined =>
  type.values?.kind === 'json' && !type.values.preserveUnknownFields ? undefined : type.values;

const withDefaults = new WeakMap<Type, boolean>();

/** True when the type or anything in it has a default; computed once a type. */
export function hasDefaults(type: Type): boolean {
  const known = withDefaults.get(type);
  if (known !== undefined) return known;
  withDefaults.set(type, false);
  const nested = [...(type.fields ?? []).map((f) => f.type), type.values, type.items];
  const found = type.default !== undefined || nested.some((t) => t !== undefined && hasDefaults(t));
  withDefaults.set(type, found);
  return found;
}
