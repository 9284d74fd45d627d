import type { Type } from '@apichain/scheme';
import { times } from './stall-case.ts';

/** How a value grows: lists and maps by items, strings by characters. */
export interface Shape {
  readonly name: string;
  readonly value: (type: Type, size: number) => unknown;
}

const scalars: Partial<Record<Type['kind'], (index: number) => unknown>> = {
  integer: (i) => 1 + (i % 65_535),
  number: (i) => i,
  boolean: () => true,
  bytes: () => 'AAAA',
  time: () => '2020-01-01T00:00:00Z',
  microTime: () => '2020-01-01T00:00:00.000000Z',
  duration: () => '1s',
  quantity: () => '1',
  intOrString: (i) => 1 + (i % 65_535),
  fieldsV1: () => ({ 'f:data': {} }),
  rawExtension: (i) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `n${i}` } }),
  json: (i) => ({ type: 'object', description: `d${i}` }),
  array: () => [],
  map: () => ({}),
};

/** Members that identify the items of lists for which the table has no key. */
const identifying: ReadonlySet<string> = new Set(['name', 'key', 'type', 'kind', 'apiVersion', 'uid', 'path', 'image']);

/** A plausible value of a type. Different indexes give different values. */
export function sample(type: Type, index: number, keys: readonly string[] = [], depth = 0): unknown {
  if (type.kind === 'string') {
    const options = type.enum ?? [];
    return options.length > 0 ? options[index % options.length] : `n${index}`;
  }
  if (type.kind !== 'object') return scalars[type.kind]?.(index);
  const fields = (type.fields ?? []).filter(
    ({ name, required }) => keys.includes(name) || required === true || identifying.has(name),
  );
  if (depth > 4) return {};
  return Object.fromEntries(fields.map(({ name, type: member }) => [name, sample(member, index, [], depth + 1)]));
}

/** The keys that identify an item of a list. */
export const keysOf = (type: Type, patchMergeKey?: string): readonly string[] =>
  type.listMapKeys ?? (patchMergeKey === undefined ? [] : [patchMergeKey]);

const isList = ({ kind }: Type): boolean => kind === 'array';

function items(type: Type, size: number, indexOf: (position: number) => number): unknown {
  const { items: element, values } = type;
  if (isList(type) && element !== undefined) return times(size, (i) => sample(element, indexOf(i), keysOf(type)));
  const value = (i: number) => (values === undefined ? 'v' : sample(values, indexOf(i)));
  return Object.fromEntries(times(size, (i) => [`k${i}`, value(i)]));
}

/** Lists and maps whose items differ. */
export const distinctItems: Shape = {
  name: 'distinct items',
  value: (type, size) => items(type, size, (i) => i),
};

/** Shapes of lists and maps. */
const collectionShapes: readonly Shape[] = [
  distinctItems,
  { name: 'equal items', value: (type, size) => items(type, size, () => 0) },
  {
    name: 'items of another type',
    value: (type, size) => (isList(type) ? times(size, () => 7) : items(type, size, (i) => i)),
  },
  { name: 'empty items', value: (type, size) => (isList(type) ? times(size, () => ({})) : items(type, size, () => 1)) },
  {
    name: 'items of wrong texts',
    value: (type, size) => (isList(type) ? times(size, () => '!') : prefixed(size, '!')),
  },
  {
    name: 'keys with prefixes',
    value: (type, size) => (isList(type) ? items(type, size, (i) => i % 2) : prefixed(size, 'a.b/k')),
  },
  {
    name: 'numbers as keys',
    value: (type, size) => (isList(type) ? items(type, size, (i) => -i) : prefixed(size, '1048576')),
  },
  { name: 'one long item', value: (type, size) => oneLongItem(type, 'a'.repeat(size)) },
];

const prefixed = (size: number, prefix: string): unknown =>
  Object.fromEntries(times(size, (i) => [`${prefix}${i}`, String(i)]));

function oneLongItem(type: Type, text: string): unknown {
  if (!isList(type)) return { [text]: 'v' };
  const element = type.items;
  return element?.kind === 'object' ? [{ name: text, key: text }] : [text];
}

/** The repeated part of a string, with its prefix and suffix. */
const repeated: readonly (readonly [string, string?, string?])[] = [
  ['a'],
  ['a-'],
  ['a.'],
  ['a/'],
  ['a,'],
  ['a=b,'],
  ['a b '],
  ['.a', '.'],
  ['-'],
  ['/'],
  ['../'],
  [' '],
  ['\n'],
  ['\t'],
  ['9'],
  ['0', '1.', 'Ki'],
  ['9', '0.'],
  ['9', '1e'],
  ['0', '', 'x'],
  ['0', '2020-01-01T00:00:00.', 'Z'],
  ['1h'],
  ['1-59/2,', '', ' * * * *'],
  ['1:'],
  [':'],
  ['::', '', '1'],
  ['1.'],
  ['$('],
  ['$(A)'],
  ['%'],
  ['%41'],
  ['('],
  ['(a*)*'],
  ['a*'],
  ['a?'],
  ['['],
  ['{'],
  ['{"a":'],
  ['"', '"'],
  ['\\'],
  ['&&', 'true'],
  ['self.a == self.b && ', '', 'true'],
  ['1+', '', '1'],
  ['!'],
  ['\u00e9'],
  ['\u{1f4a9}'],
  ['\u0000'],
  ['A', '', '!'],
  ['AAAA\n'],
  ['-----BEGIN CERTIFICATE-----\n'],
  ['-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n'],
  ['a@', '', 'b'],
  ['https://'],
  ['{.a}'],
  ['system:'],
  ['0-9,'],
  ['e', '1'],
];

const textShapes: readonly Shape[] = repeated.map(([part, before = '', after = '']) => ({
  name: `text of ${JSON.stringify(`${before}${part}${part}..${after}`)}`,
  value: (_type, size) => before + part.repeat(Math.max(1, Math.ceil(size / part.length))) + after,
}));

/** Shapes of values that may have any type: deep or wide. */
const anyShapes: readonly Shape[] = [
  { name: 'distinct members', value: (_type, size) => prefixed(size, 'k') },
  { name: 'a list', value: (_type, size) => times(size, (i) => i) },
  { name: 'a list of empty objects', value: (_type, size) => times(size, () => ({})) },
  { name: 'members of field sets', value: (_type, size) => Object.fromEntries(times(size, (i) => [`f:k${i}`, {}])) },
  {
    name: 'keyed members of field sets',
    value: (_type, size) => ({ 'f:a': Object.fromEntries(times(size, (i) => [`k:{"name":"n${i}"}`, { '.': {} }])) }),
  },
];

/** The shapes for values of a type. */
export function shapesOf(type: Type): readonly Shape[] {
  switch (type.kind) {
    case 'array':
    case 'map':
      return collectionShapes;
    case 'json':
    case 'fieldsV1':
    case 'rawExtension':
      return anyShapes;
    default:
      return textShapes;
  }
}
