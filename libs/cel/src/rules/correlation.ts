import { isRecord, deepEqual, equalityText } from '@apichain/meta';
import type { Type } from '@apichain/scheme';

export const own = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** Finds the item of an old list-type=map list that has the same keys as an item. */
export type FindOldItem = (item: unknown) => unknown;

const noOldItem: FindOldItem = () => undefined;

/** Looks items up by their keys, in what is made of the list when the first of them is asked for. */
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

/** A value, what stood there before, and what the schema says of it. */
interface Pair {
  readonly value: unknown;
  readonly old: unknown;
  readonly type: Type;
}

const resourceFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The pair of a member; undefined where one of the two or the schema has none. */
function memberPair({ value, old, type }: Pair, name: string, isRoot: boolean): Pair | undefined {
  // These are no part of the schema, though the type has them.
  if ((isRoot || type.embeddedResource === true) && resourceFields.has(name)) return undefined;
  const [member, before] = [own(value, name), own(old, name)];
  const memberType = type.byName?.get(name)?.type ?? describedValues(type);
  if (member === undefined || before === undefined || memberType === undefined) return undefined;
  return { value: member, old: before, type: memberType };
}

/** `additionalProperties: true` describes nothing. */
const describedValues = ({ values }: Type): Type | undefined =>
  values?.kind === 'json' && !values.preserveUnknownFields && values.byName === undefined ? undefined : values;

function itemPair({ value, type }: Pair, i: number, find: FindOldItem): Pair | undefined {
  const item: unknown = Array.isArray(value) ? value[i] : undefined;
  const before = find(item);
  return before === undefined || type.items === undefined ? undefined : { value: item, old: before, type: type.items };
}

/** Lists of type map are the same in any order; a map with members that the schema does not describe never counts as the same. */
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
 * Whether an error may be forgiven because what it is about did not change: the value itself, or where it has no
 * counterpart the nearest part around it that has.
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
