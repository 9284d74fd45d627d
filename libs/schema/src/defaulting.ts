import { deepClone, isRecord, newRequestEntityTooLarge, setOwn, stringifyJson, oncePerObject } from '@apichain/meta';
import { someTypeWithin, type Type } from '@apichain/scheme';

/**
 * The most bytes of JSON that defaults may add to one object. Without a limit, a short list of empty items could grow to hundreds of
 * megabytes, of which the store accepts at most two.
 */
const maxDefaultedBytes = 8 * 1024 * 1024;

/** The bytes that defaults may still add. */
interface Allowance {
  bytes: number;
}

/**
 * Sets, in place, the defaults of absent fields, and of nulls where null is not allowed. Throws RequestEntityTooLarge if the defaults
 * exceed 8 MiB.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
export function applyDefaults(value: unknown, type: Type | undefined): void {
  defaultValue(value, type, { bytes: maxDefaultedBytes });
}

function defaultValue(value: unknown, type: Type | undefined, left: Allowance): void {
  if (type === undefined || !hasDefaults(type)) return;
  if (Array.isArray(value)) defaultList(value, type.items, left);
  else if (isRecord(value)) defaultObject(value, type, left);
}

const sizeOfDefault = oncePerObject((type: Type) => stringifyJson(type.default).length);

/** A copy of the default of a type; `name` is the member name, which counts towards the limit. */
function defaultOf(type: Type, name: string, left: Allowance): unknown {
  left.bytes -= sizeOfDefault(type) + name.length;
  if (left.bytes < 0) throw newRequestEntityTooLarge(`defaults would add more than ${maxDefaultedBytes} bytes`);
  return deepClone(type.default);
}

function defaultList(list: unknown[], items: Type | undefined, left: Allowance): void {
  if (items === undefined || !hasDefaults(items)) return;
  for (const [i, item] of list.entries()) {
    if (item === null && !items.nullable && items.default !== undefined) list[i] = defaultOf(items, '', left);
    defaultValue(list[i], items, left);
  }
}

function defaultObject(object: Record<string, unknown>, type: Type, left: Allowance): void {
  for (const field of type.fields ?? []) {
    if (field.type.default === undefined) continue;
    if (!Object.hasOwn(object, field.name) || (object[field.name] === null && !field.type.nullable))
      setOwn(object, field.name, defaultOf(field.type, field.name, left));
  }
  for (const key of Object.keys(object)) {
    const declared = type.byName?.get(key)?.type;
    if (declared !== undefined) {
      defaultValue(object[key], declared, left);
    } else if (type.values !== undefined) {
      if (object[key] === null && !type.values.nullable && type.values.default !== undefined)
        setOwn(object, key, defaultOf(type.values, '', left));
      defaultValue(object[key], type.values, left);
    }
  }
}

/** Removes, in place, the nulls of fields that are not nullable and have no default. Lists keep their length. */
export function pruneNulls(value: unknown, type: Type | undefined): void {
  if (type === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) pruneNulls(item, type.items);
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      const declared = type.byName?.get(key)?.type ?? describedValues(type);
      if (declared === undefined) continue;
      if (value[key] === null && !declared.nullable && declared.default === undefined) delete value[key];
      else pruneNulls(value[key], declared);
    }
  }
}

/** The type of undeclared keys, if the schema describes them. */
const describedValues = (type: Type): Type | undefined =>
  type.values?.kind === 'json' && !type.values.preserveUnknownFields ? undefined : type.values;

/** Whether the type or any type in it has a default. */
export const hasDefaults = someTypeWithin((type) => type.default !== undefined);
