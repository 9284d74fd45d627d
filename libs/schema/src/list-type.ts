import { field, type FieldError } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { isObject, setOwn, sortKeys } from './equal.ts';

/**
 * Uniqueness in lists of x-kubernetes-list-type `set` (whole items) and `map` (the keys), for every list within `value`.
 */
export function validateListTypes(value: unknown, type: Type | undefined, path: string): FieldError[] {
  if (type === undefined || !hasUniqueLists(type)) return [];
  if (Array.isArray(value)) {
    return [
      ...validateList(value, type, path),
      ...value.flatMap((item, i) => validateListTypes(item, type.items, field.index(path, i))),
    ];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, v]) => {
    const declared = type.byName?.get(key);
    return declared === undefined
      ? validateListTypes(v, type.values, field.key(path, key))
      : validateListTypes(v, declared.type, field.child(path, key));
  });
}

const unique = new WeakMap<Type, boolean>();

function hasUniqueLists(type: Type): boolean {
  const known = unique.get(type);
  if (known !== undefined) return known;
  unique.set(type, false);
  const nested = [...(type.fields ?? []).map((f) => f.type), type.values, type.items];
  const found =
    type.listType === 'set' || type.listType === 'map' || nested.some((t) => t !== undefined && hasUniqueLists(t));
  unique.set(type, found);
  return found;
}

function validateList(list: readonly unknown[], type: Type, path: string): FieldError[] {
  if (type.listType === 'set')
    return repeated(list).map((i) => field.duplicate(field.index(path, i), sortKeys(list[i])));
  if (type.listType !== 'map') return [];
  const misfit = list.findIndex((item) => item !== null && !isObject(item));
  if (misfit !== -1)
    return [
      field.invalid(
        field.index(path, misfit),
        sortKeys(list[misfit]),
        'must be an object for an array of list-type map',
      ),
    ];
  const keys = list.map((item) => itemKeys(item, type.listMapKeys ?? []));
  return repeated(keys).map((i) => field.duplicate(field.index(path, i), keys[i]));
}

function itemKeys(item: unknown, names: readonly string[]): Record<string, unknown> {
  const keys: Record<string, unknown> = {};
  if (!isObject(item)) return keys;
  for (const name of [...names].sort()) if (Object.hasOwn(item, name)) setOwn(keys, name, item[name]);
  return keys;
}

/** Index of the second appearance of each value that appears more than once. */
function repeated(values: readonly unknown[]): number[] {
  const seen = new Map<string, number>();
  const indices: number[] = [];
  for (const [i, value] of values.entries()) {
    const text = identity(value);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    if (times === 1) indices.push(i);
  }
  return indices;
}

const identity = (value: unknown): string =>
  JSON.stringify(sortKeys(value), (_k, v: unknown) => (typeof v === 'bigint' ? { bigint: v.toString() } : v)) ?? 'null';
