import { isRecord as isObject, own } from '@apichain/meta';

export { isRecord as isObject, own, setOwn } from '@apichain/meta';

/**
 * Values in the form that the merge engine uses: JSON in plain objects, with `undefined` for absent values. Only own properties are accessed,
 * because clients choose the keys.
 */
export interface PlainObject {
  [key: string]: unknown;
}

export const isArray = (value: unknown): value is unknown[] => Array.isArray(value);

export const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';

export function isEmptyObject(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** A bigint and a number are equal when their decimal texts are equal. */
const sameNumber = (a: unknown, b: unknown): boolean => isNumber(a) && isNumber(b) && a.toString() === b.toString();

/** Deep equality of JSON values. 1, 1.0 and 1n are the same number; a property that is undefined counts as absent. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isArray(a)) {
    return isArray(b) && a.length === b.length && a.every((item, i) => equalValues(item, b[i]));
  }
  if (isObject(a)) return isObject(b) && equalObjects(a, b);
  return sameNumber(a, b);
}

function equalObjects(a: PlainObject, b: PlainObject): boolean {
  for (const key of Object.keys(a)) {
    if (!equalValues(a[key], own(b, key))) return false;
  }
  for (const key of Object.keys(b)) {
    if (b[key] !== undefined && own(a, key) === undefined) return false;
  }
  return true;
}

const htmlUnsafe = /[<>&\u2028\u2029]/;
const htmlUnsafeAll = /[<>&\u2028\u2029]/g;
const escapeCharacter = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A JSON scalar in the form of Go's encoder: JSON.stringify with `<`, `>`, `&` and the line separators escaped. */
export function formatScalar(value: unknown): string {
  if (typeof value === 'string') {
    const text = JSON.stringify(value);
    return htmlUnsafe.test(text) ? text.replace(htmlUnsafeAll, escapeCharacter) : text;
  }
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

/** JSON with sorted keys, as Go writes a map. Used where the text must be identical to kube-apiserver's. */
export function formatSorted(value: unknown): string {
  if (isArray(value)) return `[${value.map(formatSorted).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort()
      .map((key) => `${formatScalar(key)}:${formatSorted(value[key])}`);
    return `{${members.join(',')}}`;
  }
  return formatScalar(value ?? null);
}
