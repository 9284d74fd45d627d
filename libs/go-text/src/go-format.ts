import { goQuote } from './go-quote.ts';

/** A JSON value as Go's `%v` prints it: `map[a:1 b:[x y]]`, keys sorted. */
export function goFormat(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goFormat).join(' ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([key, item]) => `${key}:${goFormat(item)}`).join(' ')}]`;
  }
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'string' ? value : `${value as bigint | boolean}`;
}

/** The Go type that an untyped JSON value is decoded into. */
export function goValueType(value: unknown): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64';
}

/** A value as Go's `%s` prints it: strings as they are, other values marked as not being strings. */
export function goFormatString(value: unknown): string {
  return typeof value === 'string' ? value : `%!s(${goValueType(value)}=${goFormat(value)})`;
}

/** Values deeper than this are not printed by goSyntax. */
const maxDepth = 100;

/** A JSON value as Go's `%#v` prints it, keys sorted. `keyType` is that of its maps: `interface {}` for those of the YAML reader. */
export function goSyntax(value: unknown, keyType: 'string' | 'interface {}' = 'string', depth = 0): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value !== 'object') return goFormat(value);
  if (depth > maxDepth) return '...';
  const element = (item: unknown): string =>
    item === null || item === undefined ? 'interface {}(nil)' : goSyntax(item, keyType, depth + 1);
  if (Array.isArray(value)) return `[]interface {}{${value.map(element).join(', ')}}`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${goQuote(key)}:${element(member)}`);
  return `map[${keyType}]interface {}{${members.join(', ')}}`;
}

const maxInt64 = 2 ** 63;

/** A float64 as Go's `%v` prints it: the shortest digits that round-trip, with a two-digit exponent below 1e-4 and from 1e6. */
export function formatFloat(value: number): string {
  const size = Math.abs(value);
  const text = value !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** A JSON number as Go's `%v` prints it: a whole number in range is an int64, any other a float64. */
export const formatNumber = (value: number): string =>
  Number.isInteger(value) && value >= -maxInt64 && value < maxInt64 ? BigInt(value).toString() : formatFloat(value);
