import { compare, equal, ValueIndex } from '../equality.ts';
import {
  asInt,
  asList,
  asOptional,
  asText,
  global,
  member,
  typeName,
  type Library,
  type Overload,
} from '../overload.ts';
import * as types from '../types.ts';
import {
  ArrayList,
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  none,
  noSuchOverload,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../values.ts';
import { CostLimitError } from '../cost.ts';
import { earliest, operatorLibrary } from './operators.ts';

const { bool, int, uint, double, string, bytes, timestamp, duration } = types;
const t = types.param('T');
const k = types.param('K');
const v = types.param('V');
const listOfT = types.list(t);
const optionalT = types.optional(t);

const comparable = [int, uint, double, bool, duration, timestamp, string, bytes];
const named = (type: types.CelType) => type.kind;

function best(list: ListValue, name: string, wanted: -1 | 1): Value {
  if (list.size === 0) throw new EvaluationError(`${name} called on empty list`);
  return [...list].reduce((found, item) => {
    const order = compare(item, found);
    if (order === undefined) throw noSuchOverload();
    return order === wanted ? item : found;
  });
}
const isSorted = (list: ListValue) =>
  [...list].every((item, i) => {
    if (i === 0) return true;
    const order = compare(list.at(i - 1), item);
    if (order === undefined) throw noSuchOverload();
    return order <= 0;
  });

const add = operatorLibrary['_+_'] ?? [];
const zeros: readonly [types.CelType, Value][] = [
  [int, 0n],
  [uint, new Uint(0n)],
  [double, 0],
  [duration, new Duration(0n)],
];
const sums = (): Overload[] =>
  zeros.map(([type, zero]) => {
    const plus = add.find((o) => o.args.every((a) => a.kind === type.kind));
    return member(`list_${named(type)}_sum_${named(type)}`, [types.list(type)], type, (l) => {
      if (plus === undefined) throw noSuchOverload();
      return [...asList(l)].reduce((total, item) => plus.run(total, item), zero);
    });
  });
const perType = (name: string, result: (type: types.CelType) => types.CelType, run: (l: ListValue) => Value) =>
  comparable.map((type) =>
    member(`list_${named(type)}_${name}`, [types.list(type)], result(type), (l) => run(asList(l))),
  );

function slice(list: ListValue, from: bigint, to: bigint): Value {
  if (from < 0n || to < 0n) throw new EvaluationError(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to)
    throw new EvaluationError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > BigInt(list.size)) throw new EvaluationError(`cannot slice(${from}, ${to}), list is length ${list.size}`);
  return new ArrayList([...list].slice(Number(from), Number(to)));
}
function flatten(list: ListValue, depth: bigint): Value[] {
  return [...list].flatMap((item) => (item instanceof ListValue && depth > 0n ? flatten(item, depth - 1n) : [item]));
}
function distinct(list: ListValue): Value[] {
  const found = new ValueIndex();
  return [...list].filter((item) => {
    if (found.has(item)) return false;
    found.add(item);
    return true;
  });
}
/** The items, sorted by their associated keys. */
function sorted(list: ListValue, keys: ListValue): Value {
  if (list.size !== keys.size)
    throw new EvaluationError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  const [first] = keys;
  if (first === undefined) return list;
  if (compare(first, first) === undefined && typeof first !== 'number')
    throw new EvaluationError('list elements must be comparable');
  if ([...keys].some((key) => typeName(key) !== typeName(first)))
    throw new EvaluationError('list elements must have the same type');
  const pairs = [...list].map((item, i) => ({ item, key: keys.at(i) }));
  return new ArrayList(pairs.sort((x, y) => compare(x.key, y.key) ?? 0).map(({ item }) => item));
}
const longestRange = 1_000_000n;
const range = (n: bigint): Value => {
  // A longer list exceeds the cost limit of every expression.
  if (n > longestRange) throw new CostLimitError();
  return new ArrayList(Array.from({ length: Math.max(0, Number(n)) }, (_, i) => BigInt(i)));
};

/** Lists: the functions of Kubernetes and those of cel-go's lists extension. */
export const listLibrary: Library = {
  isSorted: perType('is_sorted_bool', () => bool, isSorted),
  sum: sums(),
  max: perType(
    'max',
    (type) => type,
    (l) => best(l, 'max', 1),
  ),
  min: perType(
    'min',
    (type) => type,
    (l) => best(l, 'min', -1),
  ),
  indexOf: [
    member('list_a_index_of_int', [listOfT, t], int, (l, x) =>
      BigInt([...asList(l)].findIndex((item) => equal(item, x ?? null))),
    ),
  ],
  lastIndexOf: [
    member('list_a_last_index_of_int', [listOfT, t], int, (l, x) =>
      BigInt([...asList(l)].findLastIndex((item) => equal(item, x ?? null))),
    ),
  ],
  slice: [
    member('list_slice', [listOfT, int, int], listOfT, (l, from, to) => slice(asList(l), asInt(from), asInt(to))),
  ],
  flatten: [
    member('list_flatten', [types.list(listOfT)], listOfT, (l) => new ArrayList(flatten(asList(l), 1n))),
    member('list_flatten_int', [types.list(types.dyn), int], types.list(types.dyn), (l, depth) => {
      if (asInt(depth) < 0n) throw new EvaluationError('level must be non-negative');
      return new ArrayList(flatten(asList(l), asInt(depth)));
    }),
  ],
  distinct: [member('list_distinct', [listOfT], listOfT, (l) => new ArrayList(distinct(asList(l))))],
  reverse: [member('list_reverse', [listOfT], listOfT, (l) => new ArrayList([...asList(l)].reverse()))],
  sort: comparable.map((type) =>
    member(`list_${named(type)}_sort`, [types.list(type)], types.list(type), (l) => sorted(asList(l), asList(l))),
  ),
  '@sortByAssociatedKeys': comparable.map((type) =>
    member(`list_${named(type)}_sortByAssociatedKeys`, [listOfT, types.list(type)], listOfT, (l, keys) =>
      sorted(asList(l), asList(keys)),
    ),
  ),
  first: [
    member('list_first', [listOfT], optionalT, (l) => (asList(l).size === 0 ? none : new Optional(asList(l).at(0)))),
  ],
  last: [
    member('list_last', [listOfT], optionalT, (l) =>
      asList(l).size === 0 ? none : new Optional(asList(l).at(asList(l).size - 1)),
    ),
  ],
  'lists.range': [global('lists_range', [int], types.list(int), (n) => range(asInt(n)))],
};

function containsAll(list: Value | undefined, other: Value | undefined): boolean {
  const items = new ValueIndex(asList(list));
  return [...asList(other)].every((item) => items.has(item));
}
function intersects(list: Value | undefined, other: Value | undefined): boolean {
  const others = new ValueIndex(asList(other));
  return [...asList(list)].some((item) => others.has(item));
}
const twoLists = [listOfT, listOfT];

export const setLibrary: Library = {
  'sets.contains': [global('list_sets_contains_list', twoLists, bool, containsAll)],
  'sets.equivalent': [
    global('list_sets_equivalent_list', twoLists, bool, (x, y) => containsAll(x, y) && containsAll(y, x)),
  ],
  'sets.intersects': [global('list_sets_intersects_list', twoLists, bool, intersects)],
};

/** Whether a value is a zero value, for which `ofNonZeroValue` returns none. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.ns === 0n;
  if (value instanceof Timestamp) return value.ns === earliest;
  return (value instanceof ListValue || value instanceof MapValue) && value.size === 0;
}
function unwrapped(o: Optional): Value {
  if (o.value === undefined) throw new EvaluationError('optional.none() dereference');
  return o.value;
}
/** The entry of a map or list as an optional, since it may be missing. An optional container is unwrapped. */
export function optionalEntry(container: Value, key: Value): Optional {
  if (container instanceof Optional) return container.value === undefined ? none : optionalEntry(container.value, key);
  if (container instanceof ListValue) {
    const index = typeof key === 'bigint' ? key : -1n;
    return index >= 0n && index < BigInt(container.size) ? new Optional(container.at(Number(index))) : none;
  }
  const value = container instanceof MapValue ? container.get(key) : undefined;
  return value === undefined ? none : new Optional(value);
}
const entry = (container: Value | undefined, key: Value | undefined) => optionalEntry(container ?? null, key ?? null);
const never = (): Value => {
  throw noSuchOverload();
};

export const optionalLibrary: Library = {
  'optional.of': [global('optional_of', [v], types.optional(v), (x) => new Optional(x ?? null))],
  'optional.ofNonZeroValue': [
    global('optional_ofNonZeroValue', [v], types.optional(v), (x) =>
      isZero(x ?? null) ? none : new Optional(x ?? null),
    ),
  ],
  'optional.none': [global('optional_none', [], types.optional(v), () => none)],
  value: [member('optional_value', [types.optional(v)], v, (o) => unwrapped(asOptional(o)))],
  hasValue: [member('optional_hasValue', [types.optional(v)], bool, (o) => asOptional(o).value !== undefined)],
  or: [member('optional_or_optional', [types.optional(v), types.optional(v)], types.optional(v), never)],
  orValue: [member('optional_orValue_value', [types.optional(v), v], v, never)],
  '_?._': [
    global('select_optional_field', [types.dyn, string], types.optional(v), (m, name) => entry(m, asText(name))),
  ],
  '_[?_]': [
    global('list_optindex_optional_int', [types.list(v), int], types.optional(v), entry),
    global('optional_list_optindex_optional_int', [types.optional(types.list(v)), int], types.optional(v), entry),
    global('map_optindex_optional_value', [types.map(k, v), k], types.optional(v), entry),
    global('optional_map_optindex_optional_value', [types.optional(types.map(k, v)), k], types.optional(v), entry),
  ],
  '_[_]': [
    global('optional_list_index_int', [types.optional(types.list(v)), int], types.optional(v), entry),
    global('optional_map_index_value', [types.optional(types.map(k, v)), k], types.optional(v), entry),
  ],
  unwrapOpt: [
    member(
      'optional_unwrapOpt',
      [types.list(types.optional(v))],
      types.list(v),
      (l) => new ArrayList(present(asList(l))),
    ),
  ],
  'optional.unwrap': [
    global('optional_unwrap', [types.list(types.optional(v))], types.list(v), (l) => new ArrayList(present(asList(l)))),
  ],
};
const present = (l: ListValue): Value[] =>
  [...l].flatMap((o) => (o instanceof Optional && o.value !== undefined ? [o.value] : []));
