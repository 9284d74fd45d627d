import { accumulator, type Comprehension, type Expr } from './ast.ts';
import * as types from './types.ts';

/** A macro that is used incorrectly. */
export class MacroError extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** The former name of the accumulator, which variables still must not have. */
const formerAccumulator = '__result__';

interface MacroCall {
  readonly target: Expr;
  readonly args: readonly Expr[];
  readonly at: number;
}
type Macro = (use: MacroCall) => Expr;

const constant = (value: boolean | bigint, at: number): Expr => ({
  kind: 'const',
  value,
  type: typeof value === 'bigint' ? types.int : types.bool,
  at,
});
const call = (at: number, fn: string, ...args: Expr[]): Expr => ({ kind: 'call', fn, args, at });
const ident = (name: string, at: number): Expr => ({ kind: 'ident', name, at });
const listOf = (at: number, ...items: Expr[]): Expr => ({
  kind: 'list',
  elements: items.map((value) => ({ value, optional: false })),
  at,
});

function variable(expr: Expr | undefined, at: number, refusal = 'argument must be a simple name'): string {
  if (expr?.kind !== 'ident') throw new MacroError(expr?.at ?? at, refusal);
  if (expr.name === accumulator || expr.name === formerAccumulator)
    throw new MacroError(expr.at, 'iteration variable overwrites accumulator variable');
  return expr.name;
}

type Fold = Pick<Comprehension, 'accuInit' | 'condition' | 'step' | 'result'>;

/** A macro over a range. Its first `variables` arguments are names of variables; the others are passed to `fold`. */
const folding =
  (
    variables: 1 | 2,
    fold: (args: readonly Expr[], at: number, names: readonly string[]) => Fold,
    refusal?: string,
  ): Macro =>
  ({ target, args, at }) => {
    const names = args.slice(0, variables).map((a) => variable(a, at, refusal));
    const [iterVar = '', iterVar2] = names;
    return {
      kind: 'comprehension',
      range: target,
      iterVar,
      iterVar2,
      accuVar: accumulator,
      ...fold(args.slice(variables), at, names),
      at,
    };
  };

const noIdentifier = 'argument is not an identifier';
const argument = (args: readonly Expr[], i: number, at: number): Expr => args[i] ?? constant(true, at);
const accu = (at: number) => ident(accumulator, at);

const all = (args: readonly Expr[], at: number): Fold => ({
  accuInit: constant(true, at),
  condition: call(at, '@not_strictly_false', accu(at)),
  step: call(at, '_&&_', accu(at), argument(args, 0, at)),
  result: accu(at),
});
const exists = (args: readonly Expr[], at: number): Fold => ({
  accuInit: constant(false, at),
  condition: call(at, '@not_strictly_false', call(at, '!_', accu(at))),
  step: call(at, '_||_', accu(at), argument(args, 0, at)),
  result: accu(at),
});
const existsOne = (args: readonly Expr[], at: number): Fold => ({
  accuInit: constant(0n, at),
  condition: constant(true, at),
  step: call(at, '_?_:_', argument(args, 0, at), call(at, '_+_', accu(at), constant(1n, at)), accu(at)),
  result: call(at, '_==_', accu(at), constant(1n, at)),
});
/** Collects the results in a list; if there are two arguments, the first is a filter. */
const collect = (args: readonly Expr[], at: number): Fold => {
  const grown = call(at, '_+_', accu(at), listOf(at, argument(args, args.length - 1, at)));
  return {
    accuInit: listOf(at),
    condition: constant(true, at),
    step: args.length > 1 ? call(at, '_?_:_', argument(args, 0, at), grown, accu(at)) : grown,
    result: accu(at),
  };
};
const filter = (args: readonly Expr[], at: number, names: readonly string[]): Fold =>
  collect([...args, ident(names[0] ?? '', at)], at);
/** Collects the results in a map. `keyed`: the argument is the value for the first variable as key; otherwise it is a map itself. */
const collectMap =
  (keyed: boolean) =>
  (args: readonly Expr[], at: number, names: readonly string[]): Fold => {
    const value = argument(args, args.length - 1, at);
    const key = keyed ? [ident(names[0] ?? '', at)] : [];
    const grown = call(at, 'cel.@mapInsert', accu(at), ...key, value);
    return {
      accuInit: { kind: 'map', entries: [], at },
      condition: constant(true, at),
      step: args.length > 1 ? call(at, '_?_:_', argument(args, 0, at), grown, accu(at)) : grown,
      result: accu(at),
    };
  };

const method = (target: Expr, fn: string, at: number): Expr => ({ kind: 'call', fn, target, args: [], at });

/** Binds the value of an optional to a name. With `wrap` the result is wrapped in an optional; without, the expression is an optional itself. */
const optionalMap =
  (wrap: boolean): Macro =>
  ({ target, args, at }) => {
    const name = variable(args[0], at);
    const bound: Expr = {
      kind: 'comprehension',
      range: listOf(at),
      iterVar: '#unused',
      accuVar: name,
      accuInit: method(target, 'value', at),
      condition: constant(false, at),
      step: ident(name, at),
      result: argument(args, 1, at),
      at,
    };
    return call(
      at,
      '_?_:_',
      method(target, 'hasValue', at),
      wrap ? call(at, 'optional.of', bound) : bound,
      call(at, 'optional.none'),
    );
  };

const sortInput = '@__sortBy_input__';
const sortable: ReadonlySet<Expr['kind']> = new Set<Expr['kind']>(['list', 'select', 'ident', 'comprehension', 'call']);
/** Sorts by the value of the argument for each item. The list is bound to a name, so that it is evaluated once. */
const sortBy: Macro = ({ target, args, at }) => {
  if (!sortable.has(target.kind))
    throw new MacroError(
      target.at,
      'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
    );
  const keys = folding(1, collect, noIdentifier)({ target: ident(sortInput, at), args, at });
  return {
    kind: 'comprehension',
    range: listOf(at),
    iterVar: '#unused',
    accuVar: sortInput,
    accuInit: target,
    condition: constant(false, at),
    step: ident(sortInput, at),
    result: { kind: 'call', fn: '@sortByAssociatedKeys', target: ident(sortInput, at), args: [keys], at },
    at,
  };
};

/** By name and number of arguments. */
const macros: ReadonlyMap<string, Macro> = new Map([
  ['all/2', folding(1, all)],
  ['exists/2', folding(1, exists)],
  ['exists_one/2', folding(1, existsOne)],
  ['existsOne/2', folding(1, existsOne)],
  ['map/2', folding(1, collect, noIdentifier)],
  ['map/3', folding(1, collect, noIdentifier)],
  ['filter/2', folding(1, filter, noIdentifier)],
  ['all/3', folding(2, all)],
  ['exists/3', folding(2, exists)],
  ['existsOne/3', folding(2, existsOne)],
  ['exists_one/3', folding(2, existsOne)],
  ['transformList/3', folding(2, collect)],
  ['transformList/4', folding(2, collect)],
  ['transformMap/3', folding(2, collectMap(true))],
  ['transformMap/4', folding(2, collectMap(true))],
  ['transformMapEntry/3', folding(2, collectMap(false))],
  ['transformMapEntry/4', folding(2, collectMap(false))],
  ['sortBy/2', sortBy],
  ['optMap/2', optionalMap(true)],
  ['optFlatMap/2', optionalMap(false)],
]);

/** Expands `cel.bind(name, value, expression)`: the expression, in which the name is bound to the value. After cel-go's ext/bindings.go. */
export function expandBinding(
  fn: string,
  target: Expr | undefined,
  args: readonly Expr[],
  at: number,
): Expr | undefined {
  const [named, value, result] = args;
  if (fn !== 'bind' || target?.kind !== 'ident' || target.name !== 'cel' || args.length !== 3) return undefined;
  if (named?.kind !== 'ident')
    throw new MacroError(named?.at ?? at, 'cel.bind() variable names must be simple identifiers');
  if (value === undefined || result === undefined) return undefined;
  return {
    kind: 'comprehension',
    range: listOf(at),
    iterVar: '#unused',
    accuVar: named.name,
    accuInit: value,
    condition: constant(false, at),
    step: ident(named.name, at),
    result,
    at,
  };
}

/**
 * The expansion of a macro; undefined if the call is not a macro. Throws MacroError.
 * https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros
 */
export function expandMacro(fn: string, target: Expr | undefined, args: readonly Expr[], at: number): Expr | undefined {
  if (target === undefined) {
    const [arg] = args;
    if (fn !== 'has' || args.length !== 1 || arg === undefined) return undefined;
    if (arg.kind !== 'select' || arg.testOnly) throw new MacroError(arg.at, 'invalid argument to has() macro');
    return { ...arg, testOnly: true, at };
  }
  return macros.get(`${fn}/${args.length}`)?.({ target, args, at });
}
