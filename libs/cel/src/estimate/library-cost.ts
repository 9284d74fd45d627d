import { itemsOf, type Node, type Sized, sizeOf } from './node.ts';
import { fixed, one, product, type Range, scaled, sum } from './range.ts';

/** The minimum and maximum cost of a call, and the size of its result if it is known. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

export const traversal = 0.1;
export const regexLength = 0.25;
const longestFormatRegex = 128;
const longestFormat = 64;

interface Call {
  readonly overload: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
  readonly root: Sized;
}
type Estimator = (call: Call) => CallEstimate | undefined;

const unit: Estimator = () => ({ cost: one });

/** The function reads its argument once; the cost is the size times `factor`. */
const reading =
  (factor: number, keepsSize = false): Estimator =>
  ({ args: [first], root }) => {
    if (first === undefined) return undefined;
    const size = sizeOf(first, root);
    return { cost: scaled(size, factor), ...(keepsSize ? { size } : {}) };
  };

/** The function reads its receiver, a text. */
const readingTarget: Estimator = ({ target, root }) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target, root);
  return { cost: scaled(size, traversal), size };
};

/** The function compares every item; the cost of a text depends on its length. */
const comparing: Estimator = ({ target, root }) => {
  if (target === undefined) return undefined;
  const items = itemsOf(target);
  if (items === undefined) return { cost: scaled(sizeOf(target, root), traversal) };
  const isText = items.type.kind === 'string' || items.type.kind === 'bytes';
  const each = isText ? sum(one, scaled(sizeOf(items, root), traversal)) : one;
  return { cost: product(sizeOf(target, root), each) };
};

const replacing: Estimator = ({ target, args: [from, to], root }) => {
  if (target === undefined || from === undefined || to === undefined) return undefined;
  const [text, old, fresh] = [sizeOf(target, root), sizeOf(from, root), sizeOf(to, root)];
  // An empty pattern matches around every character. A shorter replacement does not make the text longer.
  const longest =
    old.min === 0
      ? { count: text.max + 1, kept: text.max }
      : fresh.max <= old.min
        ? { count: 0, kept: text.max }
        : { count: Math.ceil(text.max / old.min), kept: 0 };
  const shortest =
    old.max === 0
      ? { count: text.min + 1, kept: text.min }
      : old.max <= fresh.min
        ? { count: 0, kept: text.min }
        : { count: Math.ceil(text.min / old.max), kept: 0 };
  const size = sum(product({ min: shortest.count, max: longest.count }, fresh), {
    min: shortest.kept,
    max: longest.kept,
  });
  return { cost: scaled(text, 2 * traversal), size };
};

const splitting: Estimator = ({ target, args: [, limit], root }) => {
  if (target === undefined) return undefined;
  const text = sizeOf(target, root);
  const most =
    limit?.expr?.kind === 'const' && typeof limit.expr.value === 'bigint' ? Number(limit.expr.value) : text.max;
  return { cost: scaled(text, 2 * traversal), size: { min: 0, max: most } };
};

const joining: Estimator = ({ target, args: [separator], root }) => {
  if (target === undefined) return undefined;
  const list = sizeOf(target, root);
  const items = itemsOf(target);
  const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const size = sum(
    items === undefined ? fixed(0) : product(list, sizeOf(items, root)),
    separator === undefined ? fixed(0) : product(sizeOf(separator, root), gaps),
  );
  return { cost: scaled(size, traversal), size };
};

const finding: Estimator = ({ target, args: [expression], root }) => {
  if (target === undefined || expression === undefined) return undefined;
  const text = sizeOf(target, root);
  const cost = product(scaled(sum(text, one), traversal), scaled(sizeOf(expression, root), regexLength));
  return { cost, size: { min: 0, max: text.max } };
};

const address = { min: 4, max: 16 };

/** The function compares two addresses. Addresses given as text are parsed first. */
const containing =
  (more: Range): Estimator =>
  ({ overload, args: [first], root }) => {
    if (first === undefined) return undefined;
    const text = overload.endsWith('_string') ? scaled(sizeOf(first, root), traversal) : fixed(0);
    return { cost: sum(scaled(sum(address, address), traversal), more, text) };
  };

const ip: Estimator = (call) => (call.overload === 'cidr_ip' ? { cost: one } : reading(traversal)(call));

const validating: Estimator = ({ args: [first], root }) =>
  first === undefined
    ? undefined
    : { cost: scaled(scaled(sizeOf(first, root), traversal), longestFormatRegex * regexLength) };

const unitTypes = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver', 'kubernetes.URL']);

const equals: Estimator = ({ args: [left, right] }) => {
  if (left === undefined || right === undefined || left.type.name !== right.type.name) return undefined;
  if (left.type.name === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1, max: longestFormat }, traversal) };
  return unitTypes.has(left.type.name) ? { cost: one } : undefined;
};

const table = (names: string, estimator: Estimator): [string, Estimator][] =>
  names.split(' ').map((name) => [name, estimator]);

const estimators: ReadonlyMap<string, Estimator> = new Map<string, Estimator>([
  ['check', () => ({ cost: fixed(350_000) })],
  ...table('serviceAccount path group resource subresource namespace name allowed reason error errored', unit),
  ...table('isSorted sum max min indexOf lastIndexOf includes', comparing),
  ...table('url jsonpatch.escapeKey', reading(traversal, true)),
  ...table('lowerAscii upperAscii substring trim', readingTarget),
  ['replace', replacing],
  ['split', splitting],
  ['join', joining],
  ...table('find findAll', finding),
  ...table('cidr isIP isCIDR quantity isQuantity semver isSemver', reading(traversal)),
  ['ip', ip],
  ['ip.isCanonical', reading(2 * traversal)],
  ['containsIP', containing(fixed(0))],
  ['containsCIDR', containing(sum(scaled(address, traversal), one))],
  ['validate', validating],
  ...table(
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named ' +
      'sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch ' +
      'getScheme getHostname getHost getPort getEscapedPath getQuery',
    unit,
  ),
  ['_==_', equals],
  ['sets.contains', sets(1)],
  ['sets.intersects', sets(1)],
  ['sets.equivalent', sets(2)],
]);

function sets(factor: number): Estimator {
  return ({ args: [left, right], root }) =>
    left === undefined || right === undefined
      ? undefined
      : { cost: sum(scaled(product(sizeOf(left, root), sizeOf(right, root)), factor), one) };
}

/** The cost of a function of Kubernetes or of the sets library; undefined for other functions. After k8s.io/apiserver/pkg/cel/library/cost.go. */
export const libraryCost = (fn: string, call: Call): CallEstimate | undefined => estimators.get(fn)?.(call);
