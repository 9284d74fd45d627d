import { compare, equal, indexByKeys, ValueIndex } from '../equality.ts';
import {
  asBool,
  asBytes,
  asDouble,
  asDuration,
  asInt,
  asList,
  asMap,
  asText,
  asTimestamp,
  asUint,
  global,
  type Library,
  type Overload,
} from '../overload.ts';
import * as types from '../types.ts';
import {
  ArrayList,
  Duration,
  EntryMap,
  EvaluationError,
  GrowingList,
  Timestamp,
  Uint,
  type ListValue,
  type MapValue,
  type Value,
} from '../values.ts';

const { bool, int, uint, double, string, bytes, timestamp, duration } = types;
const a = types.param('A');
const b = types.param('B');

export function toInt64(value: bigint, what = 'integer overflow'): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new EvaluationError(what);
  return value;
}
export function toUint64(value: bigint, what = 'unsigned integer overflow'): Uint {
  if (BigInt.asUintN(64, value) !== value) throw new EvaluationError(what);
  return new Uint(value);
}
/** The first nanosecond of year 1. */
export const earliest = -62135596800n * 1_000_000_000n;
const latest = 253402300800n * 1_000_000_000n;
/** Throws EvaluationError if the time is before year 1 or after year 9999. */
export function toTimestamp(ns: bigint, offset = 0): Timestamp {
  if (ns < earliest || ns >= latest) throw new EvaluationError('timestamp overflow');
  return new Timestamp(ns, offset);
}
const shifted = (time: Timestamp, by: bigint) => toTimestamp(time.ns + by, time.offset);
const toDuration = (ns: bigint) => new Duration(toInt64(ns, 'integer overflow'));

const ints = (name: string, run: (x: bigint, y: bigint) => bigint) =>
  global(`${name}_int64`, [int, int], int, (x, y) => toInt64(run(asInt(x), asInt(y))));
const uints = (name: string, run: (x: bigint, y: bigint) => bigint) =>
  global(`${name}_uint64`, [uint, uint], uint, (x, y) => toUint64(run(asUint(x).value, asUint(y).value)));
const doubles = (name: string, run: (x: number, y: number) => number) =>
  global(`${name}_double`, [double, double], double, (x, y) => run(asDouble(x), asDouble(y)));

const dividing = (error: string, run: (x: bigint, y: bigint) => bigint) => (x: bigint, y: bigint) => {
  if (y === 0n) throw new EvaluationError(error);
  return run(x, y);
};
const divide = dividing('division by zero', (x, y) => x / y);
const modulus = dividing('modulus by zero', (x, y) => x % y);

/**
 * `+` of lists. The result keeps the list type of the schema: sets are united, and items of list-type=map lists replace those with the same
 * keys.
 */
function concatenate(left: ListValue, right: ListValue): ListValue {
  const identity = left.identity;
  if (identity?.type === 'set') {
    const present = new ValueIndex(left);
    return new ArrayList([...left, ...[...right].filter((item) => !present.has(item))], identity);
  }
  if (identity?.type === 'map') {
    const [items, others] = [[...left].map(asMap), [...right].map(asMap)];
    const [present, replacing] = [indexByKeys(items, identity.keys), indexByKeys(others, identity.keys)];
    return new ArrayList(
      [...items.map((item) => replacing.find(item) ?? item), ...others.filter((item) => !present.has(item))],
      identity,
    );
  }
  return (left instanceof GrowingList ? left : new GrowingList([...left])).append(right);
}

const ordered = [bool, int, uint, double, string, bytes, timestamp, duration];
const numbers = [int, uint, double];
const suffix = (t: types.CelType) => (t.kind === 'int' || t.kind === 'uint' ? `${t.kind}64` : t.kind);

/** A comparison such as `<` for every ordered type, and between different numeric types. */
function comparisons(name: string, holds: (order: -1 | 0 | 1) => boolean): Overload[] {
  const run = (x: Value | undefined, y: Value | undefined) => {
    if (Number.isNaN(x) || Number.isNaN(y)) throw new EvaluationError('NaN values cannot be ordered');
    const order = compare(x ?? null, y ?? null);
    return order !== undefined && holds(order);
  };
  const same = ordered.map((t) => global(`${name}_${suffix(t)}`, [t, t], bool, run));
  const across = numbers.flatMap((x) =>
    numbers.filter((y) => y !== x).map((y) => global(`${name}_${suffix(x)}_${suffix(y)}`, [x, y], bool, run)),
  );
  return [...same, ...across];
}

export function listIndex(list: ListValue, index: Value | undefined): Value {
  const i = typeof index === 'number' && Number.isInteger(index) ? BigInt(index) : index;
  const at = typeof i === 'bigint' ? i : asUint(i).value;
  if (at < 0n || at >= BigInt(list.size)) throw new EvaluationError(`index out of bounds: ${at}`);
  return list.at(Number(at));
}
export function mapEntry(map: MapValue, key: Value | undefined): Value {
  const value = map.get(key ?? null);
  if (value === undefined) throw noSuchKey(key ?? null);
  return value;
}
export const noSuchKey = (key: Value) => new EvaluationError(`no such key: ${keyText(key)}`);
const keyText = (key: Value): string =>
  key instanceof Uint ? String(key.value) : typeof key === 'object' ? 'null' : String(key);

function inserted(map: MapValue, more: readonly (readonly [Value, Value])[]): MapValue {
  for (const [k] of more)
    if (map.get(k) !== undefined)
      throw new EvaluationError(`insert failed: key ${typeof k === 'string' ? k : keyText(k)} already exists`);
  return new EntryMap([...entriesOf(map), ...more]);
}
export const entriesOf = (map: MapValue): [Value, Value][] => map.keys().map((k) => [k, map.get(k) ?? null]);

const never = (): Value => {
  throw new EvaluationError('no such overload');
};

/** Operators by their internal names. Those that do not evaluate all operands are included only for their types. */
export const operatorLibrary: Library = {
  '_?_:_': [global('conditional', [bool, a, a], a, never)],
  '_&&_': [global('logical_and', [bool, bool], bool, never)],
  '_||_': [global('logical_or', [bool, bool], bool, never)],
  '@not_strictly_false': [global('not_strictly_false', [bool], bool, never)],
  '!_': [global('logical_not', [bool], bool, (x) => !asBool(x))],
  '_==_': [global('equals', [a, a], bool, (x, y) => equal(x ?? null, y ?? null))],
  '_!=_': [global('not_equals', [a, a], bool, (x, y) => !equal(x ?? null, y ?? null))],
  '_<_': comparisons('less', (o) => o < 0),
  '_<=_': comparisons('less_equals', (o) => o <= 0),
  '_>_': comparisons('greater', (o) => o > 0),
  '_>=_': comparisons('greater_equals', (o) => o >= 0),
  '_+_': [
    global('add_bytes', [bytes, bytes], bytes, (x, y) => Buffer.concat([asBytes(x), asBytes(y)])),
    doubles('add', (x, y) => x + y),
    global('add_duration_duration', [duration, duration], duration, (x, y) =>
      toDuration(asDuration(x).ns + asDuration(y).ns),
    ),
    global('add_duration_timestamp', [duration, timestamp], timestamp, (x, y) =>
      shifted(asTimestamp(y), asDuration(x).ns),
    ),
    global('add_timestamp_duration', [timestamp, duration], timestamp, (x, y) =>
      shifted(asTimestamp(x), asDuration(y).ns),
    ),
    ints('add', (x, y) => x + y),
    global('add_list', [types.list(a), types.list(a)], types.list(a), (x, y) => concatenate(asList(x), asList(y))),
    global('add_string', [string, string], string, (x, y) => asText(x) + asText(y)),
    uints('add', (x, y) => x + y),
  ],
  '_-_': [
    doubles('subtract', (x, y) => x - y),
    global('subtract_duration_duration', [duration, duration], duration, (x, y) =>
      toDuration(asDuration(x).ns - asDuration(y).ns),
    ),
    ints('subtract', (x, y) => x - y),
    global('subtract_timestamp_duration', [timestamp, duration], timestamp, (x, y) =>
      shifted(asTimestamp(x), -asDuration(y).ns),
    ),
    global('subtract_timestamp_timestamp', [timestamp, timestamp], duration, (x, y) =>
      toDuration(asTimestamp(x).ns - asTimestamp(y).ns),
    ),
    uints('subtract', (x, y) => x - y),
  ],
  '_*_': [doubles('multiply', (x, y) => x * y), ints('multiply', (x, y) => x * y), uints('multiply', (x, y) => x * y)],
  '_/_': [doubles('divide', (x, y) => x / y), ints('divide', divide), uints('divide', divide)],
  '_%_': [ints('modulo', modulus), uints('modulo', modulus)],
  '-_': [
    global('negate_double', [double], double, (x) => -asDouble(x)),
    global('negate_int64', [int], int, (x) => toInt64(-asInt(x))),
  ],
  '_[_]': [
    global('index_list', [types.list(a), int], a, (l, i) => listIndex(asList(l), i)),
    global('index_map', [types.map(a, b), a], b, (m, k) => mapEntry(asMap(m), k)),
  ],
  '@in': [
    global('in_list', [a, types.list(a)], bool, (x, l) => [...asList(l)].some((item) => equal(item, x ?? null))),
    global('in_map', [a, types.map(a, b)], bool, (k, m) => asMap(m).get(k ?? null) !== undefined),
  ],
  'cel.@mapInsert': [
    global('@mapInsert_map_map', [types.map(a, b), types.map(a, b)], types.map(a, b), (m, more) =>
      inserted(asMap(m), entriesOf(asMap(more))),
    ),
    global('@mapInsert_map_key_value', [types.map(a, b), a, b], types.map(a, b), (m, k, v) =>
      inserted(asMap(m), [[k ?? null, v ?? null]]),
    ),
  ],
};
