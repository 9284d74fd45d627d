import { isEmpty, isMember, type FieldSet } from './field-set.ts';
import { elementOrUndefined } from './list-items.ts';
import type { ListSchema, MapSchema, MergeSchema } from './merge-schema.ts';
import { fieldElement } from './path-element.ts';
import { defaultShape, shapeOf } from './shape.ts';
import { isArray, isObject, setOwn, type PlainObject } from './values.ts';

/**
 * `value` without the map and list entries that are members of `set`. A nested map or list that loses all entries remains as an empty one; the value
 * itself becomes null. Atomic maps and lists lose all entries, because their parts cannot be removed individually. Source: typed/remove.go of
 * structured-merge-diff 6.3.2.
 */
export function removeItems(schema: MergeSchema, value: unknown, set: FieldSet): unknown {
  const shape = shapeOf(schema, value) ?? defaultShape(schema);
  if (shape === 'map') return removeFromMap(schema.map, value, set);
  if (shape === 'list') return removeFromList(schema.list, value, set);
  return value;
}

function removeInside(schema: MergeSchema, value: unknown, set: FieldSet): unknown {
  const rest = removeItems(schema, value, set);
  if (rest !== null) return rest;
  if (isArray(value)) return [];
  return isObject(value) ? {} : null;
}

function removeFromList(list: ListSchema | undefined, value: unknown, set: FieldSet): unknown {
  if (list === undefined || list.atomic || !isArray(value)) return null;
  const out: unknown[] = [];
  for (const item of value) {
    const element = elementOrUndefined(list, item, true);
    const node = element === undefined ? undefined : set[element];
    if (node === undefined) out.push(item);
    else if (!isMember(node)) out.push(removeInside(list.element, item, node));
  }
  return out.length === 0 ? null : out;
}

function removeFromMap(map: MapSchema | undefined, value: unknown, set: FieldSet): unknown {
  if (map === undefined || map.atomic || !isObject(value)) return null;
  let out: PlainObject | null = null;
  for (const key of Object.keys(value)) {
    const field = map.fields.get(key);
    const node = set[field?.element ?? fieldElement(key)];
    if (node !== undefined && isMember(node)) continue;
    const schema = field?.schema ?? map.element;
    const keeps = node === undefined || schema === undefined || isEmpty(node);
    setOwn((out ??= {}), key, keeps ? value[key] : removeInside(schema, value[key], node));
  }
  return out;
}
