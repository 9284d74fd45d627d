type Plain = Record<string, unknown>;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function setOwn(target: Plain, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}

/** A copy that shares nothing mutable with the original: plain objects and arrays of JSON values, bigint included. */
export function deepClone<T>(value: T): T;
export function deepClone(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map((element: unknown) => deepClone(element));
  const copy: Plain = {};
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, deepClone(member));
  return copy;
}

/** Members that are undefined count as absent. */
const definedKeys = (object: object) => Object.entries(object).filter(([, member]) => member !== undefined);

/**
 * Whether two JSON values mean the same: the order of keys does not matter, `1n` equals `1`, `-0` equals `0`, and a
 * member that is undefined equals one that is absent. Lists are ordered.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) {
    if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && a === BigInt(b);
    if (typeof a === 'number' && typeof b === 'bigint') return deepEqual(b, a);
    return false;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => deepEqual(x, b[i]));
  }
  const members = definedKeys(a);
  const others = new Map(definedKeys(b));
  return (
    members.length === others.size &&
    members.every(([key, member]) => others.has(key) && deepEqual(member, others.get(key)))
  );
}

/**
 * A text that two JSON values share only if they are `deepEqual`, to look values up by: searching a list for each item of another takes as
 * many comparisons as both are long, multiplied.
 */
export function equalityText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number')
    return !Number.isInteger(value) || Number.isSafeInteger(value) ? `${value}` : BigInt(value).toString();
  if (!isObject(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(equalityText).join(',')}]`;
  const members = definedKeys(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${equalityText(member)}`).join(',')}}`;
}
