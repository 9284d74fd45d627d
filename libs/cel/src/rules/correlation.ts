import { isRecord, deepEqual, equalityText } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

export const own = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** Finds the item with the same keys in an old list of list-type=map. */
export type FindOldItem = (item: unknown) => unknown;

const noOldItem: FindOldItem = () => undefined;

/** Finds items by their keys. The index of the list is built at the first call. */
export function oldItems(old: unknown, type: Type): FindOldItem {
  if (type.listType !== 'map' || !Array.isArray(old)) return noOldItem;
  const keys = type.listMapKeys ?? [];
  const textOf = (item: unknown) => keys.map((key) => equalityText(own(item, key))).join();
  let items: Map<string, unknown> | undefined;
  return (item) => {
    items ??= firstOfEach(old, textOf);
    return items.get(textOf(item));
  };
}

function firstOfEach(list: readonly unknown[], textOf: (item: unknown) => string): Map<string, unknown> {
  const items = new Map<string, unknown>();
  for (const item of list) {
    if (!isRecord(item)) continue;
    const text = textOf(item);
    if (!items.has(text)) items.set(text, item);
  }
  return items;
}

/** A value, its old value, and its type in the schema. */
interface Pair {
  readonly value: unknown;
  readonly old: unknown;
  readonly type: Type;
}

const resourceFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The pair of a member; undefined if the value, the old value or the schema does not have it. */
function memberPair({ value, old, type }: Pair, name: string, isRoot: boolean): Pair | undefined {
  // The type has these fields, but they are not part of the schema.
  if ((isRoot || type.embeddedResource === true) && resourceFields.has(name)) return undefined;
  const [member, before] = [own(value, name), own(old, name)];
  const memberType = type.byName?.get(name)?.type ?? describedValues(type);
  if (member === undefined || before === undefined || memberType === undefined) return undefined;
  return { value: member, old: before, type: memberType };
}

/** `additionalProperties: true` describes no values. */
const describedValues = ({ values }: Type): Type | undefined =>
  values?.kind === 'json' && !values.preserveUnknownFields && values.byName === undefined ? undefined : values;

function itemPair({ value, type }: Pair, i: number, find: FindOldItem): Pair | undefined {
  const item: unknown = Array.isArray(value) ? value[i] : undefined;
  const before = find(item);
  return before === undefined || type.items === undefined ? undefined : { value: item, old: before, type: type.items };
}

/** Lists of type map are equal in any order. A map with members that the schema does not describe never counts as unchanged. */
function isSame(pair: Pair, isRoot: boolean): boolean {
  const { value, old, type } = pair;
  const same = (part: Pair | undefined) => part !== undefined && isSame(part, false);
  if (Array.isArray(value) && Array.isArray(old)) {
    if (type.listType !== 'map') return deepEqual(value, old);
    if (value.length !== old.length) return false;
    const find = oldItems(old, type);
    return value.every((_, i) => same(itemPair(pair, i, find)));
  }
  if (!isRecord(value) || !isRecord(old)) return deepEqual(value, old);
  const names = Object.keys(value);
  return names.length === Object.keys(old).length && names.every((name) => same(memberPair(pair, name, isRoot)));
}

/**
 * Whether an error is ignored because its value is unchanged. If the value has no old value, the nearest enclosing value that has one
 * decides.
 */
export class Ratchet {
  readonly #current: Pair | undefined;
  readonly #nearest: Ratchet | undefined;
  readonly #isRoot: boolean;
  #same: boolean | undefined;
  #find: FindOldItem | undefined;

  constructor(current: Pair | undefined, nearest?: Ratchet, isRoot = false) {
    this.#current = current;
    this.#nearest = nearest;
    this.#isRoot = isRoot;
  }

  get forgives(): boolean {
    if (this.#current === undefined) return this.#nearest?.forgives ?? false;
    this.#same ??= isSame(this.#current, this.#isRoot);
    return this.#same;
  }

  key(name: string): Ratchet {
    if (this.#current === undefined) return this;
    if (this.#isRoot && (name === 'apiVersion' || name === 'kind')) return new Ratchet(undefined);
    return new Ratchet(memberPair(this.#current, name, this.#isRoot), this);
  }

  index(i: number): Ratchet {
    if (this.#current === undefined) return this;
    this.#find ??= oldItems(this.#current.old, this.#current.type);
    return new Ratchet(itemPair(this.#current, i, this.#find), this);
  }
}
