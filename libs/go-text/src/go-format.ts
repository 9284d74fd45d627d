import { formatNumber } from './go-float.ts';

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
