import { finish, isStepDone, type Work } from '@apichain/meta';
import { asMember, emptySet, leaf, memberMark, type FieldSet, type FieldSetBuilder } from './field-set.ts';
import { elementOrUndefined, itemsByElement } from './list-items.ts';
import { typedValue, type ListSchema, type MapSchema, type MergeSchema } from './merge-schema.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { defaultShape, shapeOf } from './shape.ts';
import { isArray, isEmptyObject, isObject, own, type PlainObject } from './values.ts';

/** The leaves and list items of a value, which its applier owns. `typed` as in `compare`. */
export const toFieldSet = (schema: MergeSchema, value: unknown, typed: boolean): FieldSet =>
  finish(gatheringFields(schema, value, typed));

/** `toFieldSet` in steps. */
export function* gatheringFields(schema: MergeSchema, value: unknown, typed: boolean): Work<FieldSet> {
  return (yield* nodeOfValue(schema, value, typed)) ?? emptySet;
}

/** The node of a value: a leaf when the value is owned as a whole, undefined when it contains nothing to own. */
function* nodeOfValue(schema: MergeSchema, value: unknown, typed: boolean): Work<FieldSet | undefined> {
  const shape = shapeOf(schema, value) ?? defaultShape(schema);
  if (shape === 'scalar') return leaf;
  if (shape === 'list') return schema.list === undefined ? undefined : yield* nodeOfList(schema.list, value, typed);
  return schema.map === undefined ? undefined : yield* nodeOfMap(schema.map, value, typed);
}

function* nodeOfList(list: ListSchema, value: unknown, typed: boolean): Work<FieldSet | undefined> {
  if (list.atomic) return leaf;
  if (!isArray(value)) return undefined;
  const out: FieldSetBuilder = {};
  for (const [element, items] of yield* itemsByElement(list, value, typed)) {
    if (isStepDone()) yield;
    const node = items.length > 1 ? undefined : yield* nodeOfValue(list.element, items[0], typed);
    out[element] = node === undefined ? leaf : asMember(node);
  }
  return isEmptyObject(out) ? undefined : out;
}

function* nodeOfMap(map: MapSchema, value: unknown, typed: boolean): Work<FieldSet | undefined> {
  if (map.atomic) return leaf;
  if (!isObject(value)) return undefined;
  const out: FieldSetBuilder = {};
  for (const key of Object.keys(value)) {
    if (isStepDone()) yield;
    const work = addField(out, map, key, value, typed);
    if (work !== undefined) yield* work;
  }
  if (typed) {
    for (const field of map.zeroFields) {
      if (own(value, field.name) !== undefined) continue;
      const work = addField(out, map, field.name, value, typed);
      if (work !== undefined) yield* work;
    }
  }
  return isEmptyObject(out) ? undefined : out;
}

/** Adds a field. Returns undefined when it is done synchronously, as for a scalar, else the remaining work. */
function addField(
  out: FieldSetBuilder,
  map: MapSchema,
  key: string,
  object: PlainObject,
  typed: boolean,
): Work<void> | undefined {
  const field = map.fields.get(key);
  const raw = own(object, key);
  const value = typed && field !== undefined ? typedValue(field, raw) : raw;
  const schema = field?.schema ?? map.element;
  if (value === undefined || schema === undefined) return undefined;
  const element = field?.element ?? fieldElement(key);
  if (shapeOf(schema, value) !== 'scalar') return addInside(out, element, schema, value, typed, field === undefined);
  out[element] = leaf;
  return undefined;
}

/** `isWhole`: the value itself is owned, not only its contents. */
function* addInside(
  out: FieldSetBuilder,
  element: PathElement,
  schema: MergeSchema,
  value: unknown,
  typed: boolean,
  isWhole: boolean,
): Work<void> {
  const node = yield* nodeOfValue(schema, value, typed);
  if (isWhole || value === null || (isObject(value) && isEmptyObject(value))) {
    out[element] = node === undefined ? leaf : asMember(node);
  } else if (node !== undefined) out[element] = node;
}

/**
 * All paths that a comparison of the value with an absent one reports: the value itself, each leaf, each item, and each map and list on the path to
 * them.
 */
export function* allFields(schema: MergeSchema, value: unknown, typed: boolean): Work<FieldSet> {
  if (isArray(value)) return schema.list === undefined ? leaf : yield* allItems(schema.list, value, typed);
  if (isObject(value)) return schema.map === undefined ? leaf : yield* allMembers(schema.map, value, typed);
  return leaf;
}

function* allItems(list: ListSchema, items: readonly unknown[], typed: boolean): Work<FieldSet> {
  if (list.atomic || items.length === 0) return leaf;
  const out: FieldSetBuilder = { [memberMark]: leaf };
  if (items.length === 1) {
    const element = elementOrUndefined(list, items[0], typed);
    if (element === undefined) return leaf;
    out[element] = yield* allFields(list.element, items[0], typed);
    return out;
  }
  for (const [element, same] of yield* itemsByElement(list, items, typed)) {
    if (isStepDone()) yield;
    out[element] = same.length > 1 ? leaf : yield* allFields(list.element, same[0], typed);
  }
  return out;
}

function* allMembers(map: MapSchema, object: PlainObject, typed: boolean): Work<FieldSet> {
  if (map.atomic) return leaf;
  const out: FieldSetBuilder = { [memberMark]: leaf };
  let isLeaf = true;
  for (const key in object) {
    if (isStepDone()) yield;
    const field = map.fields.get(key);
    const raw = object[key];
    const value = typed && field !== undefined ? typedValue(field, raw) : raw;
    const schema = field?.schema ?? map.element;
    if (value === undefined || schema === undefined) continue;
    out[field?.element ?? fieldElement(key)] =
      typeof value === 'object' ? yield* allFields(schema, value, typed) : leaf;
    isLeaf = false;
  }
  if (typed) {
    for (const field of map.zeroFields) {
      if (own(object, field.name) !== undefined) continue;
      out[field.element] = yield* allFields(field.schema, field.zero, typed);
      isLeaf = false;
    }
  }
  return isLeaf ? leaf : out;
}
