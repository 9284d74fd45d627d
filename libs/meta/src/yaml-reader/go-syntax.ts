import { goQuote } from '@apichain/go-text';

/** Deeper values are not printed. */
const maxDepth = 100;

/** A value as Go's `%#v` prints it. */
export function goSyntax(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || depth > maxDepth) return '...';
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => goElement(item, depth)).join(', ')}}`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${goQuote(key)}:${goElement(member, depth)}`);
  return `map[interface {}]interface {}{${members.join(', ')}}`;
}
const goElement = (value: unknown, depth: number): string =>
  value === null ? 'interface {}(nil)' : goSyntax(value, depth + 1);
