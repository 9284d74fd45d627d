import { accumulator, qualifiedName, type CallExpr, type Comprehension, type Expr } from '../ast.ts';
import type { Checked } from '../checked.ts';
import { codePoints } from '../library/conversions.ts';
import type { CelKind, CelType } from '../types.ts';
import { errorType } from '../types.ts';
import { listCost as listFunctionCost } from './list-cost.ts';
import { type CallEstimate, libraryCost, regexLength, traversal } from './library-cost.ts';
import { declaredSize, type Node, type Path, sizeOf, type Sized } from './node.ts';
import { fixed, nothing, one, product, type Range, scaled, sum, union, unknown } from './range.ts';

const listCost = 10;
const mapCost = 30;
const structCost = 40;

/** The sizes of the keys and values of a container. */
interface Entries {
  readonly kind: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}
interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: Entries | undefined;
}

/** The maximum cost of an expression, for values of the sizes that `root` declares. After cel-go's checker/cost.go. */
export const estimatedCost = (checked: Checked, root: Sized): number =>
  new Estimator(checked, root).cost(checked.expr).max;

const scalars: ReadonlySet<CelKind> = new Set<CelKind>(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

const isScalar = (type: CelType): boolean =>
  type.name === 'optional_type' ? isScalar(type.params[0] ?? errorType) : scalars.has(type.kind);

/** The size of a literal. */
function literalSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case 'const':
      if (typeof expr.value === 'string') return fixed(codePoints(expr.value));
      return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1);
    case 'list':
      return fixed(expr.elements.length);
    case 'map':
      return fixed(expr.entries.length);
    default:
      return undefined;
  }
}

class Estimator {
  readonly #checked: Checked;
  readonly #root: Sized;
  readonly #paths = new Map<Expr, Path>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, Entries>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, root: Sized) {
    this.#checked = checked;
    this.#root = root;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'const':
        return nothing;
      case 'ident':
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return one;
      case 'select': {
        // The checker has not typed the operand, so it is part of a qualified name.
        if (!this.#checked.types.has(expr.operand)) {
          this.#paths.set(expr, [qualifiedName(expr) ?? '']);
          return one;
        }
        const operand = this.cost(expr.operand);
        // has() is free.
        if (expr.testOnly) return operand;
        this.#paths.set(expr, [...this.#path(expr.operand), expr.field]);
        const { kind } = this.#type(expr.operand);
        return kind === 'map' || kind === 'object' ? sum(operand, one) : operand;
      }
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return sum(fixed(structCost), ...expr.fields.map(({ value }) => this.cost(value)));
      case 'comprehension':
        return this.#comprehension(expr);
    }
  }

  #list(expr: Expr & { kind: 'list' }): Range {
    const costs = expr.elements.map(({ value }) => this.cost(value));
    const value = this.#joined(expr.elements.map((element) => element.value));
    this.#entries.set(expr, { kind: 'list', key: one, value });
    return sum(fixed(listCost), ...costs);
  }

  #map(expr: Expr & { kind: 'map' }): Range {
    const costs = expr.entries.map(({ key, value }) => sum(this.cost(key), this.cost(value)));
    const key = this.#joined(expr.entries.map((entry) => entry.key));
    const value = this.#joined(expr.entries.map((entry) => entry.value));
    this.#entries.set(expr, { kind: 'map', key, value });
    return sum(fixed(mapCost), ...costs);
  }

  #joined(exprs: readonly Expr[]): Range {
    return (
      exprs.map((expr) => this.#size(expr)).reduce<Range | undefined>((a, b) => (a ? union(a, b) : b), undefined) ??
      nothing
    );
  }

  #comprehension(expr: Comprehension): Range {
    const start = sum(this.cost(expr.range), this.cost(expr.accuInit));
    this.#push(expr.accuVar, {
      path: this.#path(expr.accuInit),
      size: this.#knownSize(expr.accuInit),
      entries: this.#entriesOf(expr.accuInit),
    });
    this.#pushVariables(expr);
    const each = sum(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.iterVar);
    if (expr.iterVar2 !== undefined) this.#pop(expr.iterVar2);
    const result = this.cost(expr.result);
    this.#pop(expr.accuVar);
    const times = this.#size(expr.range);
    if (expr.accuInit.kind === 'const') this.#setSize(expr, this.#knownSize(expr.accuInit));
    else if (expr.accuInit.kind === 'list' || expr.accuInit.kind === 'map') {
      this.#setSize(expr, times);
      this.#setEntries(expr, this.#entriesOf(expr.step));
    }
    return sum(start, result, product(times, each));
  }

  #pushVariables({ range, iterVar, iterVar2 }: Comprehension): void {
    const entries = this.#entriesOf(range);
    const isList = (entries?.kind ?? this.#type(range).kind) === 'list';
    const push = (name: string, step: string, size: Range | undefined) =>
      this.#push(name, { path: [...this.#path(range), step], size, entries: undefined });
    if (iterVar2 === undefined) {
      if (isList) push(iterVar, '@items', entries?.value);
      else push(iterVar, '@keys', entries?.key);
      return;
    }
    push(iterVar, isList ? '@indices' : '@keys', entries?.key);
    push(iterVar2, isList ? '@items' : '@values', entries?.value);
  }

  #call(expr: CallExpr): Range {
    if (expr.fn === 'dyn' && expr.args[0] !== undefined) {
      const cost = this.cost(expr.args[0]);
      this.#setSize(expr, this.#knownSize(expr.args[0]));
      this.#setEntries(expr, this.#entriesOf(expr.args[0]));
      return sum(one, cost);
    }
    const costs = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.#node(arg));
    const resolved = this.#checked.calls.get(expr);
    // The text before the dot may be part of the function's name.
    const receiver = resolved?.fn === expr.fn ? expr.target : undefined;
    const targetCost = receiver === undefined ? nothing : this.cost(receiver);
    const target = receiver && this.#node(receiver);
    const overloads = resolved?.overloads ?? [];
    if (overloads.length === 0) return nothing;
    let total: Range | undefined;
    let size: Range | undefined;
    for (const { id } of overloads) {
      const estimate = this.#overload(expr, id, target, args, costs);
      total = total === undefined ? estimate.cost : union(total, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
      const [container] = expr.args;
      if (container !== undefined && (id === 'index_list' || id === 'index_map')) {
        size = this.#entriesOf(container)?.value;
        this.#paths.set(expr, [...this.#path(container), id === 'index_list' ? '@items' : '@values']);
      }
      size ??= this.#knownSize(expr);
    }
    this.#setSize(expr, size);
    return sum(targetCost, total ?? nothing);
  }

  #overload(
    expr: CallExpr,
    id: string,
    target: Node | undefined,
    args: readonly Node[],
    costs: readonly Range[],
  ): CallEstimate {
    const ofArgs = sum(...costs);
    const fn = this.#checked.calls.get(expr)?.fn ?? expr.fn;
    const sizeOfNode = (node: Node) => sizeOf(node, this.#root);
    const known =
      listFunctionCost({ overload: id, target, args, sizeOf: sizeOfNode }) ??
      libraryCost(fn, { overload: id, target, args, root: this.#root });
    if (known !== undefined) return { ...known, cost: sum(known.cost, ofArgs) };
    const own = this.#builtin(expr, id, target, args);
    if (own !== undefined) return { ...own, cost: sum(own.cost, ofArgs) };
    const [first = nothing, second = nothing, third = nothing] = costs;
    if (id === 'logical_and' || id === 'logical_or') return { cost: { min: first.min, max: sum(first, second).max } };
    if (id === 'conditional') {
      const [, yes, no] = expr.args;
      if (yes !== undefined && no !== undefined) this.#setEntries(expr, this.#commonEntries(yes, no));
      const size = union(args[1]?.size ?? unknown, args[2]?.size ?? unknown);
      return { cost: sum(first, union(second, third)), size };
    }
    return { cost: sum(one, ofArgs) };
  }

  /** The cost of language functions that depends on sizes, without the cost of their arguments. */
  #builtin(expr: CallExpr, id: string, target: Node | undefined, args: readonly Node[]): CallEstimate | undefined {
    const size = (node: Node | undefined): Range => node?.size ?? unknown;
    const [first, second] = args;
    switch (id) {
      case 'string_format': {
        const text = size(target);
        return { cost: scaled(text, traversal), size: sum(text, size(first)) };
      }
      case 'string_to_bytes':
        return { cost: scaled(size(first), traversal), size: product(size(first), { min: 1, max: 4 }) };
      case 'bytes_to_string':
        return {
          cost: scaled(size(first), traversal),
          size: { min: Math.floor(size(first).min / 4), max: size(first).max },
        };
      case 'strings_quote':
        return { cost: scaled(size(first), traversal), size: sum(product(size(first), { min: 1, max: 2 }), fixed(2)) };
      case 'starts_with_string':
      case 'ends_with_string':
        return { cost: scaled(size(first), traversal) };
      case 'in_list':
        return { cost: size(second) };
      case 'matches_string':
        return {
          cost: product(scaled(sum(size(target), one), traversal), scaled(size(first), regexLength)),
        };
      case 'contains_string':
        return { cost: product(scaled(size(target), traversal), scaled(size(first), traversal)) };
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        const joined = sum(size(first), size(second));
        const [left, right] = expr.args;
        if (left !== undefined && right !== undefined) this.#setEntries(expr, this.#commonEntries(left, right));
        return { cost: id === 'add_list' ? one : scaled(joined, traversal), size: joined };
      }
    }
    if (!/^(not_)?equals$|^(less|greater)(_equals)?_(string|bytes)$/.test(id)) return undefined;
    const smaller = Math.min(size(first).max, size(second).max);
    return { cost: scaled({ min: smaller > 0 ? 1 : 0, max: smaller }, traversal) };
  }

  #commonEntries(a: Expr, b: Expr): Entries | undefined {
    const [left, right] = [this.#entriesOf(a), this.#entriesOf(b)];
    if (left === undefined || right === undefined) return undefined;
    return { kind: left.kind, key: union(left.key, right.key), value: union(left.value, right.value) };
  }

  #type(expr: Expr): CelType {
    return this.#checked.types.get(expr) ?? errorType;
  }

  #node(expr: Expr): Node {
    const path = this.#path(expr);
    const size = this.#knownSize(expr);
    return {
      expr,
      type: this.#type(expr),
      path: path[0] === accumulator ? [] : path,
      size,
    };
  }

  #path(expr: Expr): Path {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  #size(expr: Expr): Range {
    return this.#knownSize(expr) ?? unknown;
  }

  #knownSize(expr: Expr): Range | undefined {
    const found = this.#sizes.get(expr) ?? literalSize(expr);
    if (found !== undefined) return found;
    const declared = declaredSize(this.#root, this.#path(expr));
    if (declared !== undefined) {
      this.#sizes.set(expr, declared);
      return declared;
    }
    if (isScalar(this.#type(expr))) return one;
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined;
  }

  #entriesOf(expr: Expr): Entries | undefined {
    return this.#entries.get(expr) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entries : undefined);
  }

  #setSize(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr, size);
  }

  #setEntries(expr: Expr, entries: Entries | undefined): void {
    if (entries !== undefined) this.#entries.set(expr, entries);
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }
}
