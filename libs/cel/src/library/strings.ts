import { compilePattern } from '@apichain/schema';
import type { RE2JS } from 're2js';
import { asInt, asList, asText, global, member, type Library } from '../overload.ts';
import * as types from '../types.ts';
import { ArrayList, EvaluationError, type Value } from '../values.ts';
import { formatText } from './format-text.ts';

const { bool, int, string } = types;
const strings = types.list(string);
function compiled(text: string, prefix = ''): RE2JS {
  try {
    return compilePattern(text);
  } catch (error) {
    throw new EvaluationError(`${prefix}${error instanceof Error ? error.message : ''}`);
  }
}

function find(text: string, expression: string, most: bigint): string[] {
  const matcher = compiled(expression, 'Illegal regex: ').matcher(text);
  const found: string[] = [];
  while ((most < 0n || BigInt(found.length) < most) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

const outOfRange = (index: bigint) => new EvaluationError(`index out of range: ${index}`);
function position(points: readonly string[], index: bigint): number {
  if (index < 0n || index > BigInt(points.length)) throw outOfRange(index);
  return Number(index);
}
function charAt(text: string, index: bigint): string {
  const points = [...text];
  return points[position(points, index)] ?? '';
}
function substring(text: string, from: bigint, to?: bigint): string {
  const points = [...text];
  if (to !== undefined && from > to) throw new EvaluationError(`invalid substring range. start: ${from}, end: ${to}`);
  const start = position(points, from);
  const end = to === undefined ? points.length : position(points, to);
  return points.slice(start, end).join('');
}
function indexOf(text: string, part: string, from: bigint): bigint {
  if (part === '') return from;
  if (from < 0n) throw outOfRange(from);
  const points = [...text];
  if (from >= BigInt(points.length)) return -1n;
  const units = points.slice(0, Number(from)).join('').length;
  const found = text.indexOf(part, units);
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length);
}
function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const points = [...text];
  if (part === '') return from ?? BigInt(points.length);
  if (from !== undefined && from < 0n) throw outOfRange(from);
  if (from !== undefined && from >= BigInt(points.length)) return -1n;
  const units = from === undefined ? Infinity : points.slice(0, Number(from)).join('').length;
  const found = text.lastIndexOf(part, units);
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length);
}
/** The empty text matches before every character and at the end. */
function replace(text: string, old: string, by: string, most: bigint): string {
  const parts = old === '' ? ['', ...text, ''] : text.split(old);
  const count = most < 0n ? parts.length : Number(most);
  return parts.reduce((joined, p, i) => joined + (i <= count ? by : old) + p);
}
function split(text: string, separator: string, most: bigint): Value {
  if (most === 0n) return new ArrayList([]);
  const parts = separator === '' ? [...text] : text.split(separator);
  if (most < 0n || BigInt(parts.length) <= most) return new ArrayList(parts);
  const kept = parts.slice(0, Number(most) - 1);
  return new ArrayList([...kept, parts.slice(Number(most) - 1).join(separator)]);
}
// The white space characters of Go. JavaScript differs in U+0085 and U+FEFF.
const blanks = String.raw`[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+`;
const outerBlanks = new RegExp(`^${blanks}|${blanks}$`, 'g');
const trimmed = (text: string) => text.replaceAll(outerBlanks, '');
const lower = (text: string) => text.replaceAll(/[A-Z]/g, (c) => c.toLowerCase());
const upper = (text: string) => text.replaceAll(/[a-z]/g, (c) => c.toUpperCase());
const join = (items: Value | undefined, separator: string) => [...asList(items)].map(asText).join(separator);

const quotes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
const quote = (text: string) => `"${text.replaceAll(/[\u0007\b\f\n\r\t\v\\"]/g, (c) => quotes[c] ?? c)}"`;

const text2 = (run: (x: string, y: string) => Value) => (x: Value | undefined, y: Value | undefined) =>
  run(asText(x), asText(y));
const matches = text2((text, expression) => compiled(expression).matcher(text).find());

/** Strings: the standard functions, cel-go's strings extension (version 2) and Kubernetes' regular expressions. */
export const stringLibrary: Library = {
  contains: [
    member(
      'contains_string',
      [string, string],
      bool,
      text2((x, y) => x.includes(y)),
    ),
  ],
  endsWith: [
    member(
      'ends_with_string',
      [string, string],
      bool,
      text2((x, y) => x.endsWith(y)),
    ),
  ],
  startsWith: [
    member(
      'starts_with_string',
      [string, string],
      bool,
      text2((x, y) => x.startsWith(y)),
    ),
  ],
  matches: [
    global('matches', [string, string], bool, matches),
    member('matches_string', [string, string], bool, matches),
  ],
  charAt: [member('string_char_at_int', [string, int], string, (s, i) => charAt(asText(s), asInt(i)))],
  indexOf: [
    member('string_index_of_string', [string, string], int, (s, p) => indexOf(asText(s), asText(p), 0n)),
    member('string_index_of_string_int', [string, string, int], int, (s, p, i) =>
      indexOf(asText(s), asText(p), asInt(i)),
    ),
  ],
  lastIndexOf: [
    member('string_last_index_of_string', [string, string], int, (s, p) => lastIndexOf(asText(s), asText(p))),
    member('string_last_index_of_string_int', [string, string, int], int, (s, p, i) =>
      lastIndexOf(asText(s), asText(p), asInt(i)),
    ),
  ],
  lowerAscii: [member('string_lower_ascii', [string], string, (s) => lower(asText(s)))],
  upperAscii: [member('string_upper_ascii', [string], string, (s) => upper(asText(s)))],
  replace: [
    member('string_replace_string_string', [string, string, string], string, (s, x, y) =>
      replace(asText(s), asText(x), asText(y), -1n),
    ),
    member('string_replace_string_string_int', [string, string, string, int], string, (s, x, y, n) =>
      replace(asText(s), asText(x), asText(y), asInt(n)),
    ),
  ],
  split: [
    member('string_split_string', [string, string], strings, (s, x) => split(asText(s), asText(x), -1n)),
    member('string_split_string_int', [string, string, int], strings, (s, x, n) =>
      split(asText(s), asText(x), asInt(n)),
    ),
  ],
  substring: [
    member('string_substring_int', [string, int], string, (s, i) => substring(asText(s), asInt(i))),
    member('string_substring_int_int', [string, int, int], string, (s, i, j) =>
      substring(asText(s), asInt(i), asInt(j)),
    ),
  ],
  trim: [member('string_trim', [string], string, (s) => trimmed(asText(s)))],
  join: [
    member('list_join', [strings], string, (l) => join(l, '')),
    member('list_join_string', [strings, string], string, (l, s) => join(l, asText(s))),
  ],
  format: [
    member('string_format', [string, types.list(types.dyn)], string, (s, l) => formatText(asText(s), asList(l))),
  ],
  'strings.quote': [global('strings_quote', [string], string, (s) => quote(asText(s)))],
  find: [
    member(
      'string_find_string',
      [string, string],
      string,
      text2((s, p) => find(s, p, 1n)[0] ?? ''),
    ),
  ],
  findAll: [
    member(
      'string_find_all_string',
      [string, string],
      strings,
      text2((s, p) => new ArrayList(find(s, p, -1n))),
    ),
    member(
      'string_find_all_string_int',
      [string, string, int],
      strings,
      (s, p, n) => new ArrayList(find(asText(s), asText(p), asInt(n))),
    ),
  ],
};
