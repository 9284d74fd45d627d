import { isRecord } from '@apichain/meta';
import { parsePathNodes, type PathNode, type Slice } from './json-path-parser.ts';

/** A compiled path. */
export interface JsonPath {
  /** Every value that the path selects, in order. Missing keys select nothing. Throws Error when the path does not fit the value. */
  find(root: unknown): unknown[];
  /** The names of the fields with which it begins: it selects nothing outside of them. */
  readonly leadingNames: readonly string[];
}

/**
 * Compiles a JSONPath of a column or a selectable field of a CRD. Throws Error when it is malformed.
 * https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function parseJsonPath(text: string): JsonPath {
  const nodes = parsePathNodes(text);
  return { find: (root) => walk([root], nodes), leadingNames: leadingNames(nodes) };
}

function leadingNames(nodes: readonly PathNode[]): readonly string[] {
  const names: string[] = [];
  for (const node of nodes) {
    if (node.kind !== 'field') break;
    names.push(node.name);
  }
  return names;
}

const isNull = (value: unknown): boolean => value === null || value === undefined;

const walk = (values: unknown[], nodes: readonly PathNode[]): unknown[] => nodes.reduce(step, values);

function step(values: unknown[], node: PathNode): unknown[] {
  switch (node.kind) {
    case 'field':
      return values
        .filter((v) => isRecord(v) && Object.hasOwn(v, node.name))
        .map((v) => (v as Record<string, unknown>)[node.name]);
    case 'array':
      return values.flatMap((value) => (isNull(value) ? [] : elements(value, node.slice)));
    case 'filter':
      return values.flatMap((value) => filtered(value, node));
    case 'union':
      return node.lists.flatMap((list) => walk(values, list));
    case 'value':
      return values.map(() => node.value);
    case 'wildcard':
      return values.flatMap(members);
    case 'recursive':
      return values.flatMap(descendants);
    case 'identifier':
      throw new Error(`unrecognized identifier ${node.name}`);
  }
}

/** kube-apiserver visits the members of a map in random order. Here they are sorted by name. */
function members(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...Buffer.from(value)];
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .sort()
    .map((key) => value[key]);
}

function descendants(value: unknown): unknown[] {
  const inside = members(value);
  return inside.length === 0 ? [] : [value, ...inside.flatMap(descendants)];
}

function elements(value: unknown, slice: Slice): unknown[] {
  if (!Array.isArray(value)) throw new Error('not an array or slice');
  const { length } = value;
  const from = (slice.from ?? 0) < 0 ? (slice.from ?? 0) + length : (slice.from ?? 0);
  const end = slice.to ?? length;
  const to = end < 0 || (end === 0 && slice.isIndex) ? end + length : end;
  if (from === to) return [];
  if (from < 0 || from >= length) throw new Error(`array index out of bounds: index ${from}, length ${length}`);
  if (to < 0 || to > length) throw new Error(`array index out of bounds: index ${to - 1}, length ${length}`);
  if (from > to) throw new Error(`starting index ${from} is greater than ending index ${to}`);
  const { step: every = 1 } = slice;
  if (every <= 0) throw new Error('step must be > 0');
  return value.slice(from, to).filter((_, i) => i % every === 0);
}

type Filter = Extract<PathNode, { kind: 'filter' }>;

function filtered(value: unknown, { left, right, operator }: Filter): unknown[] {
  if (!Array.isArray(value)) throw new Error('not an array or slice and cannot be filtered');
  return value.filter((item: unknown) => {
    if (operator === 'exists') return exists(item, left);
    const lefts = walk([item], left);
    if (lefts.length === 0) return false;
    const rights = walk([item], right);
    if (rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1) throw new Error('can only compare one element at a time');
    const isFloat = right.some((node) => node.kind === 'value' && node.isFloat);
    return compare(operator, operand(lefts[0], false), operand(rights[0], isFloat));
  });
}

function exists(item: unknown, path: readonly PathNode[]): boolean {
  try {
    return walk([item], path).length > 0;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

interface Operand {
  readonly kind: 'bool' | 'int' | 'float' | 'string';
  readonly value: string | number | bigint | boolean;
}

function operand(value: unknown, isFloat: boolean): Operand {
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'bigint') return { kind: 'int', value };
  if (typeof value !== 'number') throw new Error('invalid type for comparison');
  return { kind: isFloat || !Number.isInteger(value) ? 'float' : 'int', value };
}

const comparisons: Readonly<Record<string, (a: Operand['value'], b: Operand['value']) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function compare(operator: string, left: Operand, right: Operand): boolean {
  const comparison = comparisons[operator];
  if (comparison === undefined) throw new Error(`unrecognized filter operator ${operator}`);
  if (left.kind !== right.kind) throw new Error('incompatible types for comparison');
  if (left.kind === 'bool' && operator !== '==' && operator !== '!=') throw new Error('invalid type for comparison');
  return comparison(left.value, right.value);
}
