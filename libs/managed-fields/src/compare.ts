import { holdsEmptied } from '@apichain/scheme';
import { asMember, emptySet, isEmpty, leaf, type FieldSet, type FieldSetBuilder } from './field-set.ts';
import { itemsByElement } from './list-items.ts';
import { typedValue, type FieldSchema, type ListSchema, type MapSchema, type MergeSchema } from './merge-schema.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { shapeOf, shapesOfPair } from './shape.ts';
import { allFields } from './to-field-set.ts';
import { equalValues, isArray, isEmptyObject, isObject, own } from './values.ts';

/** The differences between two objects; no path is in more than one of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

const noChange: Comparison = { removed: emptySet, modified: emptySet, added: emptySet };

export const isSame = (comparison: Comparison): boolean =>
  comparison === noChange || (isEmpty(comparison.removed) && isEmpty(comparison.modified) && isEmpty(comparison.added));

/** The changes below one node, and whether the node itself was modified. */
class Changes {
  removed: FieldSetBuilder | undefined;
  modified: FieldSetBuilder | undefined;
  added: FieldSetBuilder | undefined;
  isModified = false;

  remove(element: PathElement, node: FieldSet): void {
    (this.removed ??= {})[element] = node;
  }
  modify(element: PathElement, node: FieldSet): void {
    (this.modified ??= {})[element] = node;
  }
  add(element: PathElement, node: FieldSet): void {
    (this.added ??= {})[element] = node;
  }

  /** Adds the changes below `element`. */
  take(element: PathElement, below: Changes): void {
    if (below.removed !== undefined) this.remove(element, below.removed);
    if (below.added !== undefined) this.add(element, below.added);
    if (below.isModified) this.modify(element, below.modified === undefined ? leaf : asMember(below.modified));
    else if (below.modified !== undefined) this.modify(element, below.modified);
  }
}

/**
 * Compares two objects of one type. With `typed`, both are treated as Go structs: zero values that Go's encoder writes count as present, and empty
 * values that it omits count as absent.
 */
export function compare(schema: MergeSchema, lhs: unknown, rhs: unknown, typed: boolean): Comparison {
  if (lhs === rhs) return noChange;
  const changes = new Changes();
  compareValues(schema, lhs, rhs, typed, changes);
  const { removed, modified, added } = changes;
  if (removed === undefined && modified === undefined && added === undefined) return noChange;
  return { removed: removed ?? emptySet, modified: modified ?? emptySet, added: added ?? emptySet };
}

/** Compares two values that are both present; null is a value. */
function compareValues(schema: MergeSchema, lhs: unknown, rhs: unknown, typed: boolean, changes: Changes): void {
  if (lhs === rhs) return;
  for (const shape of shapesOfPair(schema, lhs, rhs)) {
    if (shape === 'map' && schema.map !== undefined && !schema.map.atomic) {
      compareMaps(schema.map, lhs, rhs, typed, changes);
    } else if (shape === 'list' && schema.list !== undefined && !schema.list.atomic) {
      compareLists(schema.list, lhs, rhs, typed, changes);
    } else {
      compareLeaf(schema, lhs, rhs, typed, changes);
    }
  }
}

/** A nil map of a typed object equals an empty one. A nil list or pointer does not equal an empty list or struct. */
const isEmptyMap = (schema: MergeSchema, value: unknown): boolean =>
  schema.map?.fields.size === 0 && (value === null || (isObject(value) && isEmptyObject(value)));

/**
 * Go compares atomic lists deeply: an empty list or map in one of their items differs from an absent one. Source: listReflect of
 * sigs.k8s.io/structured-merge-diff/value.
 */
const equalItems = (lhs: unknown, rhs: unknown): boolean => !isArray(lhs) || holdsEmptied(lhs) === holdsEmptied(rhs);

function compareLeaf(schema: MergeSchema, lhs: unknown, rhs: unknown, typed: boolean, changes: Changes): void {
  if (equalValues(lhs, rhs) && (!typed || equalItems(lhs, rhs))) return;
  if (typed && isEmptyMap(schema, lhs) && isEmptyMap(schema, rhs)) return;
  if (typed && isObject(lhs) && isObject(rhs) && isSame(compareAtomicStructs(schema, lhs, rhs))) return;
  changes.isModified = true;
}

/** Atomic structs are equal when their fields are equal, whether or not zero values are written out. */
function compareAtomicStructs(schema: MergeSchema, lhs: unknown, rhs: unknown): Comparison {
  const granular: MergeSchema = { ...schema, ...(schema.map && { map: granularMap(schema.map) }) };
  return compare(granular, lhs, rhs, true);
}

const granularMap = (map: MapSchema): MapSchema => ({
  atomic: false,
  fields: map.fields,
  zeroFields: map.zeroFields,
  element: map.element,
  deduced: map.deduced,
});

function compareMaps(map: MapSchema, lhs: unknown, rhs: unknown, typed: boolean, changes: Changes): void {
  const left = isObject(lhs) ? lhs : undefined;
  const right = isObject(rhs) ? rhs : undefined;
  let isLeaf = true;
  for (const key in right) {
    isLeaf = false;
    compareMember(map, key, own(left, key), right[key], typed, changes);
  }
  for (const key in left) {
    isLeaf = false;
    if (right === undefined || !Object.hasOwn(right, key))
      compareMember(map, key, left[key], undefined, typed, changes);
  }
  if (isLeaf) {
    const isStruct = map.fields.size > 0;
    if ((!typed || isStruct) && (left === undefined) !== (right === undefined)) changes.isModified = true;
    return;
  }
  if (typed && (left === undefined || right === undefined)) {
    for (const field of map.zeroFields) {
      const isCompared = own(left ?? right, field.name) !== undefined;
      const isZeroOn = (side: unknown) => (side === undefined ? undefined : field.zero);
      if (isCompared) continue;
      compareField(field.schema, field.element, isZeroOn(left), isZeroOn(right), typed, changes);
    }
  }
}

/** Like compareField. */
function compareMember(
  map: MapSchema,
  key: string,
  lhs: unknown,
  rhs: unknown,
  typed: boolean,
  changes: Changes,
): void {
  const field: FieldSchema | undefined = map.fields.get(key);
  const schema = field?.schema ?? map.element;
  if (schema === undefined || lhs === rhs) return;
  const isTyped = typed && field !== undefined;
  const left = isTyped ? typedValue(field, lhs) : lhs;
  const right = isTyped ? typedValue(field, rhs) : rhs;
  compareField(schema, field?.element ?? fieldElement(key), left, right, typed, changes);
}

/** Compares the values at `element`; undefined = absent. Scalars, which are the most common values, are compared first. */
function compareField(
  schema: MergeSchema,
  element: PathElement,
  lhs: unknown,
  rhs: unknown,
  typed: boolean,
  changes: Changes,
): void {
  if (lhs === rhs) return;
  if (lhs === undefined && typeof rhs !== 'object') {
    changes.add(element, leaf);
  } else if (rhs === undefined && typeof lhs !== 'object') {
    changes.remove(element, leaf);
  } else if (shapeOf(schema, lhs) === 'scalar' && shapeOf(schema, rhs) === 'scalar') {
    const below = new Changes();
    compareLeaf(schema, lhs, rhs, typed, below);
    changes.take(element, below);
  } else if (lhs === undefined) {
    changes.add(element, allFields(schema, rhs, typed));
  } else if (rhs === undefined) {
    changes.remove(element, allFields(schema, lhs, typed));
  } else {
    const below = new Changes();
    compareValues(schema, lhs, rhs, typed, below);
    changes.take(element, below);
  }
}

function compareLists(list: ListSchema, lhs: unknown, rhs: unknown, typed: boolean, changes: Changes): void {
  const left = isArray(lhs) ? lhs : undefined;
  const right = isArray(rhs) ? rhs : undefined;
  if ((left?.length ?? 0) === 0 && (right?.length ?? 0) === 0) {
    if ((left === undefined) !== (right === undefined)) changes.isModified = true;
    return;
  }
  const leftItems = itemsByElement(list, left ?? [], typed);
  const rightItems = itemsByElement(list, right ?? [], typed);
  for (const [element, items] of leftItems) {
    compareItems(list, element, items, rightItems.get(element) ?? [], typed, changes);
  }
  for (const [element, items] of rightItems) {
    if (!leftItems.has(element)) compareItems(list, element, [], items, typed, changes);
  }
}

/** Compares the items with the same identity. Duplicates are compared as a whole: only the path of the item is tracked, nothing below it. */
function compareItems(
  list: ListSchema,
  element: PathElement,
  lhs: readonly unknown[],
  rhs: readonly unknown[],
  typed: boolean,
  changes: Changes,
): void {
  if (lhs.length <= 1 && rhs.length <= 1) {
    compareField(list.element, element, lhs[0], rhs[0], typed, changes);
  } else if (lhs.length >= 2 && rhs.length >= 2) {
    if (!equalValues(lhs, rhs)) changes.modify(element, leaf);
  } else if (lhs.length >= 2) {
    if (rhs.length > 0) changes.add(element, allFields(list.element, rhs[0], typed));
    changes.remove(element, leaf);
  } else {
    if (lhs.length > 0) changes.remove(element, allFields(list.element, lhs[0], typed));
    changes.add(element, leaf);
  }
}
