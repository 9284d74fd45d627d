import { goQuote } from '@apichain/go-text';
import { BoundedCache, compareText, ownText, parseJson } from '@apichain/meta';
import { equalValues, formatScalar, formatSorted, isArray, isObject } from './values.ts';

/**
 * One step of a field path in FieldsV1 form, which is also its identity: `f:name` is a field, `k:{...}` the list item with these keys, `v:...` the
 * set item with this value, `i:0` an index. Two elements are equal when their canonical texts are equal:
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export type PathElement = string;

export const fieldElement = (name: string): PathElement => `f:${name}`;
export const valueElement = (value: unknown): PathElement => `v:${formatScalar(value)}`;

/** `keys` sorted by name. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): PathElement {
  const members = keys.map(([name, value]) => `${formatScalar(name)}:${formatSorted(value)}`);
  return `k:{${members.join(',')}}`;
}

const rank = (element: PathElement): number => 'fkvi'.indexOf(element.charAt(0));

const parsed = (element: PathElement): unknown => parseJson(element.slice(2));

type Key = [string, unknown];

const keysOf = (element: PathElement): Key[] => {
  const keys = parsed(element);
  return isObject(keys) ? Object.entries(keys) : [];
};

const valueRank = (value: unknown): number => {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (isArray(value)) return 3;
  return isObject(value) ? 4 : 5;
};

function compareValues(a: unknown, b: unknown): number {
  const ranks = valueRank(a) - valueRank(b);
  if (ranks !== 0) return ranks;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return equalValues(a, b) ? 0 : compareText(formatSorted(a), formatSorted(b));
}

function compareKeys(left: readonly Key[], right: readonly Key[]): number {
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [leftName, leftValue] = left[i] ?? ['', undefined];
    const [rightName, rightValue] = right[i] ?? ['', undefined];
    const order = compareText(leftName, rightName) || compareValues(leftValue, rightValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Sorts elements into the order in which a set is written. Each element is parsed once, regardless of the number of comparisons. */
export function sortPathElements(elements: readonly PathElement[]): PathElement[] {
  if (elements.every((element) => element.startsWith('f:'))) return elements.toSorted(compareText);
  return elements
    .map(read)
    .sort(compareRead)
    .map(({ element }) => element);
}

/** An element with the parsed values for comparisons that its text does not decide. */
interface ReadElement {
  readonly element: PathElement;
  readonly keys?: readonly Key[];
  readonly value?: unknown;
}

function read(element: PathElement): ReadElement {
  if (element.startsWith('k')) return { element, keys: keysOf(element) };
  return element.startsWith('v') ? { element, value: parsed(element) } : { element };
}

/** The order in which a set is written: fields, keys, values, indexes, each sorted within its kind. */
export const comparePathElements = (a: PathElement, b: PathElement): number =>
  a === b ? 0 : rank(a) - rank(b) || compareRead(read(a), read(b));

function compareRead(left: ReadElement, right: ReadElement): number {
  const { element: a } = left;
  const { element: b } = right;
  if (a === b) return 0;
  const ranks = rank(a) - rank(b);
  if (ranks !== 0) return ranks;
  switch (a.charAt(0)) {
    case 'k':
      return compareKeys(left.keys ?? [], right.keys ?? []);
    case 'v':
      return compareValues(left.value, right.value);
    case 'i':
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return compareText(a, b);
  }
}

/** Whether the text of an element determines its order. True for fields, and for keys that begin with a string. */
function isOrderedByText(element: PathElement): boolean {
  const kind = element.charAt(0);
  return kind === 'f' || (kind === 'k' && element.charAt(element.indexOf('":', 4) + 2) === '"');
}

/** Whether `b` is written after `a`. Avoids parsing where possible. */
export const isInOrder = (a: PathElement, b: PathElement): boolean =>
  (a < b && a.charAt(0) === b.charAt(0) && isOrderedByText(b)) || comparePathElements(a, b) <= 0;

const canonicalTexts = new BoundedCache<string>({ maxEntries: 4096 });

/**
 * The canonical text of an element from a client; undefined for a kind of element that this version does not know, which is ignored. Throws Error
 * when the element is malformed.
 */
export function canonicalPathElement(element: string): PathElement | undefined {
  if (element.length < 2) throw new Error('key must be 2 characters long:');
  if (element.charAt(1) !== ':') throw new Error(`missing colon: ${element}`);
  const kind = element.charAt(0);
  if (kind === 'f') return element;
  if (kind === 'k' || kind === 'v') return canonicalJsonElement(element);
  if (kind !== 'i') return undefined;
  if (!/^i:[+-]?\d+$/.test(element)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(element.slice(2))}`);
  return `i:${Number(element.slice(2))}`;
}

/** Whether an element is known to be in canonical form. If false, the form is unknown. */
export const isCanonicalElement = (element: string): boolean => canonicalTexts.get(element) === element;

function canonicalJsonElement(element: string): PathElement {
  const known = canonicalTexts.get(element);
  if (known !== undefined) return known;
  const value = parsed(element);
  if (element.startsWith('k:') && !isObject(value)) throw new Error(`expect object in ${element}`);
  const canonical = `${element.slice(0, 2)}${formatSorted(value)}`;
  canonicalTexts.set(element, ownText(canonical));
  return canonical;
}

/** A map is written as its members one after the other, without brackets or separators. */
function formatKeyValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (isArray(value)) return `[${value.map(formatKeyValue).join(',')}]`;
  if (!isObject(value)) return formatSorted(value);
  const names = Object.keys(value).sort();
  return names.map((name) => `${name}=${formatKeyValue(value[name])}`).join('');
}

/** An element in the form used in conflict messages: `.name`, `[k="a",p=80]`, `[="x"]`, `[0]`. */
export function formatPathElement(element: PathElement): string {
  const text = element.slice(2);
  switch (element.charAt(0)) {
    case 'k': {
      return `[${keysOf(element)
        .map(([name, value]) => `${name}=${formatKeyValue(value)}`)
        .join(',')}]`;
    }
    case 'v':
      return `[=${formatKeyValue(parsed(element))}]`;
    case 'i':
      return `[${text}]`;
    default:
      return `.${text}`;
  }
}

export const formatPath = (path: readonly PathElement[]): string => path.map(formatPathElement).join('');
