import { Quantity } from '@apichain/meta';
import { Cidr, Format, IpAddress, Semver, Url } from './library/extension-values.ts';
import { codePoints } from './library/conversions.ts';
import { ListValue, MapValue, type Value } from './values.ts';

/** An evaluation that exceeded its cost limit. Unlike other errors it is not absorbed by `&&` or `||`. */
export class CostLimitError extends Error {
  override readonly name = 'CostLimitError';
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

const unitFunctions: ReadonlySet<string> = new Set(
  (
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast ' +
    'format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch ' +
    'getScheme getHostname getHost getPort getEscapedPath getQuery'
  ).split(' '),
);
const traversing: ReadonlySet<string> = new Set('isSorted sum max min indexOf lastIndexOf'.split(' '));
const parsing: ReadonlySet<string> = new Set(
  'url lowerAscii upperAscii substring trim cidr isIP isCIDR quantity isQuantity semver isSemver startsWith endsWith strings.quote format jsonpatch.escapeKey'.split(
    ' ',
  ),
);

function size(value: Value | undefined): number {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Uint8Array) return value.length;
  return value instanceof ListValue || value instanceof MapValue ? value.size : 1;
}
/** The cost of reading a value with all its members. */
function readingCost(value: Value | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(Buffer.byteLength(value) * 0.1);
  if (value instanceof ListValue) return [...value].reduce<number>((total, item) => total + readingCost(item), 0);
  if (!(value instanceof MapValue)) return 1;
  return value.keys().reduce<number>((total, key) => total + readingCost(key) + readingCost(value.get(key)), 0);
}
const newList = 10;
/** The cost of comparing a list with itself, item by item. */
function selfComparison(list: Value | undefined): number {
  const hasTextItems = list instanceof ListValue && list.size > 0 && isTextual(list.at(0));
  return Math.floor(size(list) ** 2 * (hasTextItems ? 2.1 : 2)) + 1 + newList;
}
const isTextual = (value: Value) => typeof value === 'string' || value instanceof Uint8Array;
const traversal = (length: number, factor = 0.1) => Math.ceil(length * factor);
const regex = (text: number, expression: number) => traversal(1 + text) * Math.ceil(expression * 0.25);
/** The number of bytes of the prefix that are compared. */
const addressSize = (cidr: Value | undefined) => (cidr instanceof Cidr ? Math.ceil(cidr.prefixLength / 8) : 1);
const isUnit = (v: Value | undefined) =>
  v instanceof Quantity ||
  v instanceof IpAddress ||
  v instanceof Cidr ||
  v instanceof Format ||
  v instanceof Url ||
  v instanceof Semver;

/** The actual cost of a call. After k8s.io/apiserver/pkg/cel/library/cost.go and cel-go's interpreter/runtimecost.go. */
export function callCost(fn: string, overload: string, args: readonly Value[], result: Value): number {
  const [first, second] = args;
  if (unitFunctions.has(fn)) return 1;
  if (traversing.has(fn)) return readingCost(first);
  if (parsing.has(fn)) return traversal(size(first));
  switch (fn) {
    case 'check':
      return 350_000;
    case 'replace':
    case 'split':
    case 'ip.isCanonical':
      return traversal(size(first), 0.2);
    case 'join':
      return traversal(size(result), 0.2);
    case 'find':
    case 'findAll':
    case 'matches':
      return regex(size(first), size(second));
    case 'validate':
      return first instanceof Format ? regex(size(second), first.regexSize) : 1;
    case 'ip':
      return overload === 'cidr_ip' ? 1 : traversal(size(first));
    case 'sort':
    case 'distinct':
      return selfComparison(first);
    case '@sortByAssociatedKeys':
      return selfComparison(second);
    case 'lists.range':
    case 'slice':
    case 'reverse':
      return size(result) + 1 + newList;
    case 'flatten':
      return size(first) * (typeof second === 'bigint' ? Number(second) : 1) + 1 + newList;
    case 'containsIP':
      return traversal(2 * addressSize(first)) + (typeof second === 'string' ? traversal(size(second)) : 0);
    case 'containsCIDR': {
      const own = addressSize(first);
      return traversal(2 * own) + traversal(own) + 1 + (typeof second === 'string' ? traversal(size(second)) : 0);
    }
    case 'contains':
      return traversal(size(first)) * traversal(size(second));
    case '@in':
      return overload === 'in_list' ? size(second) : 1;
    case '_==_':
    case '_!=_':
      return isUnit(first) ? 1 : traversal(Math.min(size(first), size(second)));
  }
  if (/^_[<>]=?_$/.test(fn)) return traversal(Math.min(size(first), size(second)));
  if (overload === 'add_string' || overload === 'add_bytes') return traversal(size(first) + size(second));
  if (fn.startsWith('sets.')) return 1 + size(first) * size(second) * (fn === 'sets.equivalent' ? 2 : 1);
  return 1;
}
