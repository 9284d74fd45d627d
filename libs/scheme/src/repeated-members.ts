import { formerValuesOf } from '@apichain/meta';
import type { Field, Type, TypeKind } from './type.ts';

type Container = Record<string, unknown>;

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Kinds of which null leaves what a variable of theirs holds; the others become empty. */
const keptByNull: ReadonlySet<TypeKind> = new Set([
  'object',
  'string',
  'integer',
  'number',
  'boolean',
  'fieldsV1',
  'rawExtension',
]);

/** Where it holds that elements of lists outlive a shorter list that came later, and show again in a longer one. */
const elementsEverSet = new WeakMap<unknown[], unknown[]>();

function mergedList(before: unknown[], list: unknown[], { items, itemPointer }: Type): unknown[] {
  // Go makes a new list of an empty one.
  if (list.length === 0 || items === undefined) return list;
  const elements = elementsEverSet.get(before) ?? before;
  const merged = list.map((item, i) => {
    return i < elements.length ? readInto(elements[i], item, items, itemPointer === true) : item;
  });
  elementsEverSet.set(merged, [...merged, ...elements.slice(merged.length)]);
  return merged;
}

function mergedStruct(before: Container, object: Container, type: Type): Container {
  const merged = new Map<string, unknown>();
  for (const source of [before, object]) {
    for (const name of Object.keys(source)) {
      const field = fieldNamed(type, name);
      for (const value of [...formerValuesOf(source, name), source[name]])
        merged.set(name, field === undefined ? value : readInto(merged.get(name), value, field.type, field.pointer));
    }
  }
  return Object.fromEntries(merged);
}

const fieldNamed = (type: Type, name: string): Field | undefined =>
  type.byName?.get(name) ?? type.fields?.find((field) => field.name === name);

/** What a variable of a type that holds `before` holds when `value` has been read into it; undefined is what it holds at first. */
function readInto(before: unknown, value: unknown, type: Type, pointer = false): unknown {
  if (before === undefined || before === null) return value;
  if (value === null) {
    if (type.kind === 'intOrString') return typeof before === 'number' && !pointer ? before : null;
    return pointer || !keptByNull.has(type.kind) ? null : before;
  }
  if (type.kind === 'array' && Array.isArray(before) && Array.isArray(value)) return mergedList(before, value, type);
  if (!isContainer(before) || !isContainer(value)) return value;
  if (type.kind === 'map') return { ...before, ...value };
  return type.kind === 'object' && type.fields !== undefined ? mergedStruct(before, value, type) : value;
}

/**
 * The value of a field that a document names several times, each of `values` read into what those before it have left: structs and
 * maps gather members, lists are merged place by place, anything else is replaced. Nothing is changed.
 * Source: what encoding/json of Go does with a variable that is not empty.
 */
export const readInTurn = (values: readonly unknown[], { type, pointer }: Field): unknown =>
  values.reduce((before, value) => readInto(before, value, type, pointer), undefined);
