import { isStepDone, type Work } from '@apichain/meta';
import { isEmpty, isMember, type FieldSet } from './field-set.ts';
import { elementOrUndefined } from './list-items.ts';
import type { ListSchema, MapSchema, MergeSchema } from './merge-schema.ts';
import { fieldElement } from './path-element.ts';
import { defaultShape, shapeOf } from './shape.ts';
import { isArray, isEmptyObject, isObject, setOwn, type PlainObject } from './values.ts';

/**
 * `value` without the map and list entries that are members of `set`. A nested map or list that loses all entries remains as an empty one; the value
 * itself becomes null. Atomic maps and lists lose all entries, because their parts cannot be removed individually. Source: typed/remove.go of
 * structured-merge-diff 6.3.2.
 */
export function* removingItems(schema: MergeSchema, value: unknown, set: FieldSet): Work<unknown> {
  const shape = shapeOf(schema, value) ?? defaultShape(schema);
  if (shape === 'map') return yield* removeFromMap(schema.map, value, set);
  if (shape === 'list') return yield* removeFromList(schema.list, value, set);
  return value;
}

function* removeInside(schema: MergeSchema, value: unknown, set: FieldSet): Work<unknown> {
  const rest = yield* removingItems(schema, value, set);
  if (rest !== null) return rest;
  if (isArray(value)) return [];
  return isObject(value) ? {} : null;
}

function* removeFromList(list: ListSchema | undefined, value: unknown, set: FieldSet): Work<unknown> {
  if (list === undefined || list.atomic || !isArray(value)) return null;
  const out: unknown[] = [];
  for (const item of value) {
    if (isStepDone()) yield;
    const element = elementOrUndefined(list, item, true);
    const node = element === undefined ? undefined : set[element];
    if (node === undefined) out.push(item);
    else if (!isMember(node)) out.push(yield* removeInside(list.element, item, node));
  }
  return out.length === 0 ? null : out;
}

function* removeFromMap(map: MapSchema | undefined, value: unknown, set: FieldSet): Work<unknown> {
  if (map === undefined || map.atomic || !isObject(value)) return null;
  const out: PlainObject = {};
  for (const key of Object.keys(value)) {
    if (isStepDone()) yield;
    const field = map.fields.get(key);
    const node = set[field?.element ?? fieldElement(key)];
    if (node === undefined) {
      setOwn(out, key, value[key]);
      continue;
    }
    if (isMember(node)) continue;
    const schema = field?.schema ?? map.element;
    const keeps = schema === undefined || isEmpty(node);
    setOwn(out, key, keeps ? value[key] : yield* removeInside(schema, value[key], node));
  }
  return isEmptyObject(out) ? null : out;
}
