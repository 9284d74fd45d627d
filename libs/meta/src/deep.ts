import { copyFacts, type List } from './document-facts.ts';
import { setOwn, own } from './own-members.ts';
import { isContainer, isList, isRecord } from './unstructured.ts';

type Plain = Record<string, unknown>;

/** A copy that shares nothing mutable with the original: plain objects and arrays of JSON values, bigint included, with the facts of their containers. */
export function deepClone<T>(value: T): T;
export function deepClone(value: unknown): unknown {
  if (!isContainer(value)) return value;
  if (isList(value)) {
    const copy: List = [];
    for (const element of value) copy.push(deepClone(element));
    return copyFacts(copy, value);
  }
  const copy: Plain = {};
  for (const key of Object.keys(value)) setOwn(copy, key, deepClone(value[key]));
  return copyFacts(copy, value);
}

/** Members that are undefined count as absent. */
const definedMembers = (object: Plain) => Object.entries(object).filter(([, member]) => member !== undefined);

/**
 * Whether two JSON values are equal. The order of keys does not matter, `1n` equals `1`, `-0` equals `0`, and an undefined member equals an
 * absent member. The order of list items matters.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) {
    if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && a === BigInt(b);
    if (typeof a === 'number' && typeof b === 'bigint') return deepEqual(b, a);
    return false;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => deepEqual(x, b[i]));
  }
  return equalMembers(a, b);
}

function equalMembers(a: Plain, b: Plain): boolean {
  let members = 0;
  for (const key of Object.keys(a)) {
    const member = a[key];
    if (member === undefined) continue;
    members++;
    if (!Object.hasOwn(b, key) || b[key] === undefined || !deepEqual(member, b[key])) return false;
  }
  let others = 0;
  for (const key of Object.keys(b)) if (b[key] !== undefined) others++;
  return members === others;
}

/**
 * A text that is the same for two JSON values only if they are `deepEqual`. It serves as a lookup key: comparing each item of one list with
 * each item of another is quadratic.
 */
export function equalityText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number')
    return !Number.isInteger(value) || Number.isSafeInteger(value) ? `${value}` : BigInt(value).toString();
  if (!isContainer(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(equalityText).join(',')}]`;
  const members = definedMembers(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${equalityText(member)}`).join(',')}}`;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!isRecord(value)) return false;
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

const isNil = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** semanticEqual for members. An empty object counts as set here, because decoding has removed empty maps. */
function memberEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => memberEqual(item, b[i]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const name in a) if (!memberEqual(a[name], own(b, name))) return false;
  for (const name in b) if (!Object.hasOwn(a, name) && !isNil(b[name])) return false;
  return true;
}

/**
 * Whether two JSON values are equal to the API. Absent, null and empty collections are equal; an absent struct and a struct without set
 * fields are not. Both values must be decoded, so that quantities and times are canonical text. The values themselves may be maps.
 * After apimachinery's equality.Semantic.DeepEqual.
 */
export const semanticEqual = (a: unknown, b: unknown): boolean => memberEqual(a, b) || (isEmpty(a) && isEmpty(b));
