import type { CallEstimate } from './library-cost.ts';
import type { Node } from './node.ts';
import { fixed, product, type Range, scaled, sum } from './range.ts';

interface ListCall {
  readonly overload: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
  readonly sizeOf: (node: Node) => Range;
}

const call = 1;
const newList = 10;
const unbounded = 2 ** 64;

/** A call that makes a list of the given size; `each` is the cost of an item. */
const making = (size: Range, each: number): CallEstimate => ({
  cost: sum(scaled(size, each), fixed(call + newList)),
  size,
});

/** The function compares all items with each other. */
function sorting(keys: Node, sizeOf: ListCall['sizeOf'], isText: boolean): CallEstimate {
  const size = sizeOf(keys);
  return making(product(size, size), isText ? 2.1 : 2);
}

function numberIn(node: Node | undefined, otherwise: number): number {
  if (node?.expr?.kind !== 'const' || typeof node.expr.value !== 'bigint') return otherwise;
  return Math.max(0, Number(node.expr.value));
}

/** The cost of the functions of cel-go's lists library; undefined for others. After cel-go's ext/lists.go. */
export function listCost({ overload, target, args, sizeOf }: ListCall): CallEstimate | undefined {
  const [first, second] = args;
  if (overload === 'lists_range') return making(fixed(numberIn(first, unbounded)), 1);
  if (target === undefined) return undefined;
  const isText = /^list_(string|bytes)_/.test(overload);
  if (/_sort$/.test(overload)) return sorting(target, sizeOf, isText);
  if (/_sortByAssociatedKeys$/.test(overload) && first !== undefined) return sorting(first, sizeOf, isText);
  switch (overload) {
    case 'list_slice':
      return making(fixed(Math.max(0, numberIn(second, sizeOf(target).max) - numberIn(first, 0))), 1);
    case 'list_reverse':
      return making(sizeOf(target), 1);
    case 'list_flatten':
    case 'list_flatten_int':
      return making(sizeOf(target), overload === 'list_flatten' ? 1 : numberIn(first, unbounded));
    case 'list_distinct':
      return making(product(sizeOf(target), sizeOf(target)), 2);
    default:
      return undefined;
  }
}
