import { Quantity } from '@apichain/meta';
import { Cidr, Format, IpAddress, Semver, Url } from './library/extension-values.ts';
import { Duration, ListValue, MapValue, Optional, Timestamp, TypeValue, Uint, type Value } from './values.ts';

const numeric = (v: Value): bigint | number | undefined =>
  typeof v === 'bigint' || typeof v === 'number' ? v : v instanceof Uint ? v.value : undefined;

/** `==`: values of different types are not equal, numbers are compared by value. */
export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  const [x, y] = [numeric(a), numeric(b)];
  if (x !== undefined && y !== undefined) return compareNumbers(x, y) === 0;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (a instanceof ListValue) return b instanceof ListValue && equalLists(a, b);
  if (a instanceof MapValue) return b instanceof MapValue && equalMaps(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.ns === b.ns;
  if (a instanceof Duration) return b instanceof Duration && a.ns === b.ns;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  if (a instanceof Quantity) return b instanceof Quantity && a.compare(b) === 0;
  if (a instanceof IpAddress) return b instanceof IpAddress && equalAddresses(a, b);
  if (a instanceof Cidr)
    return b instanceof Cidr && a.prefixLength === b.prefixLength && equalAddresses(a.address, b.address);
  if (a instanceof Url) return b instanceof Url && a.text === b.text;
  if (a instanceof Semver) return b instanceof Semver && compareSemver(a, b) === 0;
  if (a instanceof Format) return b instanceof Format && a.name === b.name;
  return false;
}

const equalAddresses = (a: IpAddress, b: IpAddress) => a.family === b.family && a.bits === b.bits;
const equalOptionals = (a: Optional, b: Optional) =>
  a.value === undefined || b.value === undefined ? a.value === b.value : equal(a.value, b.value);

function equalLists(a: ListValue, b: ListValue): boolean {
  if (a.size !== b.size) return false;
  const identity = a.identity?.type;
  if (identity === 'set' || identity === 'map') {
    const others = new ValueIndex(b, lookupText, (other, item) => equal(item, other));
    return [...a].every((item) => others.has(item));
  }
  for (let i = 0; i < a.size; i++) if (!equal(a.at(i), b.at(i))) return false;
  return true;
}

function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  const same = a.keys().every((key) => {
    const [left, right] = [a.get(key), b.get(key)];
    if (left === undefined || right === undefined) return left === right;
    return equal(left, right);
  });
  return same && !a.differsUnseen(b);
}

/** Less, equal or greater; undefined for NaN. JavaScript compares bigints and numbers exactly. */
function compareNumbers(a: bigint | number, b: bigint | number): -1 | 0 | 1 | undefined {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number.isNaN(a) || Number.isNaN(b) ? undefined : 0;
}

const order = <T>(a: T, b: T): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);

/** The order of two values of the same kind; undefined if they are not ordered. */
export function compare(a: Value, b: Value): -1 | 0 | 1 | undefined {
  const [x, y] = [numeric(a), numeric(b)];
  if (x !== undefined && y !== undefined) return compareNumbers(x, y);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return order(Buffer.compare(a, b), 0);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.ns, b.ns);
  if (a instanceof Duration && b instanceof Duration) return order(a.ns, b.ns);
  return undefined;
}

/** Compares in the order of UTF-8, which is that of code points. */
function compareText(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  const odd = /[\ud800-\udfff]/;
  return odd.test(a) || odd.test(b) ? order(Buffer.compare(Buffer.from(a), Buffer.from(b)), 0) : order(a, b);
}

/** https://semver.org/#spec-item-11 */
export function compareSemver(a: Semver, b: Semver): -1 | 0 | 1 {
  for (const [i, n] of a.numbers.entries()) {
    const difference = order(n, b.numbers[i] ?? 0n);
    if (difference !== 0) return difference;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return order(b.pre.length, a.pre.length);
  for (let i = 0; i < Math.min(a.pre.length, b.pre.length); i++) {
    const [x, y] = [a.pre[i] ?? '', b.pre[i] ?? ''];
    if (typeof x !== typeof y) return typeof x === 'bigint' ? -1 : 1;
    const difference = order(x, y);
    if (difference !== 0) return difference;
  }
  return order(a.pre.length, b.pre.length);
}

/** A text that equal values share; undefined for values of rare types. Values that are not equal may share it too. */
function lookupText(value: Value): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(BigInt(value)) : String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp || value instanceof Duration) return `at ${value.ns}`;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  // In sets and maps the order of the items does not count.
  if (value instanceof ListValue) return `[${value.size}]`;
  return value instanceof MapValue ? mapText(value) : undefined;
}

function mapText(map: MapValue): string {
  const members = map.keys().flatMap((key) => {
    const value = map.get(key);
    return value === undefined ? [] : `${lookupText(key)}:${lookupText(value)}`;
  });
  return `{${members.sort().join(',')}}`;
}

/**
 * Values for many lookups: comparing each item of one list with each item of another is quadratic. Values that are the `same` must have
 * the same text.
 */
export class ValueIndex {
  readonly #byText = new Map<string | undefined, Value[]>();
  readonly #textOf: (value: Value) => string | undefined;
  readonly #same: (known: Value, value: Value) => boolean;

  constructor(values: Iterable<Value> = [], textOf = lookupText, same = equal) {
    this.#textOf = textOf;
    this.#same = same;
    for (const value of values) this.add(value);
  }

  add(value: Value): void {
    const text = this.#textOf(value);
    const alike = this.#byText.get(text);
    if (alike === undefined) this.#byText.set(text, [value]);
    else alike.push(value);
  }

  /** The first value that is the same. */
  find(value: Value): Value | undefined {
    return this.#byText.get(this.#textOf(value))?.find((known) => this.#same(known, value));
  }

  has(value: Value): boolean {
    return this.find(value) !== undefined;
  }
}

/** An index of objects by some of their members. */
export function indexByKeys(objects: Iterable<MapValue>, keys: readonly string[]): ValueIndex {
  const members = (object: Value) =>
    keys.map((key) => (object instanceof MapValue ? object.get(key) : undefined) ?? null);
  return new ValueIndex(
    objects,
    (object) => members(object).map(lookupText).join(),
    (known, object) => {
      const wanted = members(object);
      return members(known).every((member, i) => equal(member, wanted[i] ?? null));
    },
  );
}
