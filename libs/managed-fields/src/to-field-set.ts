import { asMember, emptySet, leaf, memberMark, type FieldSet, type FieldSetBuilder } from './field-set.ts';
import { elementOrUndefined, itemsByElement } from './list-items.ts';
import { typedValue, type ListSchema, type MapSchema, type MergeSchema } from './merge-schema.ts';
import { fieldElement } from './path-element.ts';
import { defaultShape, shapeOf } from './shape.ts';
import { isArray, isEmptyObject, isObject, own, type PlainObject } from './values.ts';

/** The leaves and list items of a value, which its applier owns. */
export const toFieldSet = (schema: MergeSchema, value: unknown): FieldSet => nodeOfValue(schema, value) ?? emptySet;

/** The node of a value: a leaf when the value is owned as a whole, undefined when it contains nothing to own. */
function nodeOfValue(schema: MergeSchema, value: unknown): FieldSet | undefined {
  const shape = shapeOf(schema, value) ?? defaultShape(schema);
  if (shape === 'scalar') return leaf;
  if (shape === 'list') return schema.list === undefined ? undefined : nodeOfList(schema.list, value);
  return schema.map === undefined ? undefined : nodeOfMap(schema.map, value);
}

function nodeOfList(list: ListSchema, value: unknown): FieldSet | undefined {
  if (list.atomic) return leaf;
  if (!isArray(value)) return undefined;
  const out: FieldSetBuilder = {};
  const groups = itemsByElement(list, value, false);
  for (const [element, items] of groups) {
    const node = items.length > 1 ? undefined : nodeOfValue(list.element, items[0]);
    out[element] = node === undefined ? leaf : asMember(node);
  }
  return groups.size === 0 ? undefined : out;
}

function nodeOfMap(map: MapSchema, value: unknown): FieldSet | undefined {
  if (map.atomic) return leaf;
  if (!isObject(value)) return undefined;
  let out: FieldSetBuilder | undefined;
  for (const key of Object.keys(value)) {
    const field = map.fields.get(key);
    const schema = field?.schema ?? map.element;
    const member = value[key];
    if (member === undefined || schema === undefined) continue;
    const node = nodeOfMember(schema, member, field === undefined);
    if (node !== undefined) (out ??= {})[field?.element ?? fieldElement(key)] = node;
  }
  return out;
}

/** `isWhole`: the value itself is owned, not only its contents. */
function nodeOfMember(schema: MergeSchema, value: unknown, isWhole: boolean): FieldSet | undefined {
  const node = nodeOfValue(schema, value);
  if (node === undefined) {
    return isWhole || value === null || (isObject(value) && isEmptyObject(value)) ? leaf : undefined;
  }
  return isWhole ? asMember(node) : node;
}

/**
 * All paths that a comparison of the value with an absent one reports: the value itself, each leaf, each item, and each map and list on the path to
 * them.
 */
export function allFields(schema: MergeSchema, value: unknown, typed: boolean): FieldSet {
  if (isArray(value)) return schema.list === undefined ? leaf : allItems(schema.list, value, typed);
  if (isObject(value)) return schema.map === undefined ? leaf : allMembers(schema.map, value, typed);
  return leaf;
}

function allItems(list: ListSchema, items: readonly unknown[], typed: boolean): FieldSet {
  if (list.atomic || items.length === 0) return leaf;
  const out: FieldSetBuilder = { [memberMark]: leaf };
  if (items.length === 1) {
    const element = elementOrUndefined(list, items[0], typed);
    if (element === undefined) return leaf;
    out[element] = allFields(list.element, items[0], typed);
    return out;
  }
  for (const [element, same] of itemsByElement(list, items, typed)) {
    out[element] = same.length > 1 ? leaf : allFields(list.element, same[0], typed);
  }
  return out;
}

function allMembers(map: MapSchema, object: PlainObject, typed: boolean): FieldSet {
  if (map.atomic) return leaf;
  const out: FieldSetBuilder = { [memberMark]: leaf };
  let isLeaf = true;
  for (const key in object) {
    const field = map.fields.get(key);
    const raw = object[key];
    const value = typed && field !== undefined ? typedValue(field, raw) : raw;
    const schema = field?.schema ?? map.element;
    if (value === undefined || schema === undefined) continue;
    out[field?.element ?? fieldElement(key)] = typeof value === 'object' ? allFields(schema, value, typed) : leaf;
    isLeaf = false;
  }
  if (typed) {
    for (const field of map.zeroFields) {
      if (own(object, field.name) !== undefined) continue;
      out[field.element] = allFields(field.schema, field.zero, typed);
      isLeaf = false;
    }
  }
  return isLeaf ? leaf : out;
}
