import { children, type CallExpr, type Expr, type ListElement } from './ast.ts';
import type { Checked } from './checked.ts';
import type { Issue } from './issues.ts';
import { durationFromText, timestampFromSeconds, timestampFromText } from './library/conversions.ts';
import { FormatClauseError, replaceClauses, wrongArgument, type Clause } from './library/format-clauses.ts';
import { patternProblem } from '@apichain/schema';
import { declaredName, errorType, formatType, isOptional, sameType, type CelKind, type CelType } from './types.ts';
import type { Value } from './values.ts';

type Typed = Pick<Checked, 'expr' | 'types' | 'calls'>;

/**
 * Errors in literals: values that can never be converted, members of different types unless they are allowed, and templates that do not fit their
 * arguments. After cel-go's validators.
 */
export function literalIssues(checked: Typed, mixedLiterals: boolean): Issue[] {
  const issues: Issue[] = mixedLiterals ? [] : mixtures(checked.expr, checked.types);
  for (const [call, { fn }] of checked.calls) {
    const [first] = call.args;
    if (first?.kind === 'const' && isBad(fn, first.value))
      issues.push({ at: first.at, message: `invalid ${fn} argument` });
    if (fn === 'format') issues.push(...formatIssues(call, checked.types));
  }
  return issues;
}

function isBad(fn: string, value: Value): boolean {
  try {
    if (fn === 'timestamp' && typeof value === 'bigint') timestampFromSeconds(value);
    if (typeof value !== 'string') return false;
    if (fn === 'duration') durationFromText(value);
    if (fn === 'timestamp') timestampFromText(value);
    return fn === 'matches' && patternProblem(value) !== undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return true;
  }
}

/** Lists and maps with members of more than one type, which only the arguments of `format` may be. */
function mixtures(expr: Expr, found: ReadonlyMap<Expr, CelType>): Issue[] {
  if (expr.kind === 'call' && expr.fn === 'format') return [];
  const own: Issue[] = [];
  if (expr.kind === 'list') own.push(...oddMembers(expr.elements, found).slice(0, 1));
  if (expr.kind === 'map') {
    const keys = expr.entries.map(({ key }) => ({ value: key, optional: false }));
    own.push(...oddMembers(keys, found), ...oddMembers(expr.entries, found));
  }
  return [...own, ...children(expr).flatMap((child) => mixtures(child, found))];
}

/** The members whose type differs from that of the first. */
function oddMembers(members: readonly ListElement[], found: ReadonlyMap<Expr, CelType>): Issue[] {
  const typeOf = ({ value, optional }: ListElement): CelType => {
    const type = found.get(value) ?? errorType;
    return optional && isOptional(type) ? (type.params[0] ?? errorType) : type;
  };
  const [first, ...others] = members;
  if (first === undefined) return [];
  const wanted = typeOf(first);
  return others
    .filter((member) => !sameType(wanted, typeOf(member)))
    .map((odd) => ({
      at: odd.value.at,
      message: `expected type '${formatType(wanted)}' but found '${formatType(typeOf(odd))}'`,
    }));
}

const formatKinds: Readonly<Record<Clause['verb'], readonly CelKind[]>> = {
  s: [
    ...(['list', 'map', 'int', 'uint', 'double', 'bool', 'string'] as const),
    ...(['timestamp', 'bytes', 'duration', 'type', 'null'] as const),
  ],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

function formatIssues(call: CallExpr, found: ReadonlyMap<Expr, CelType>): Issue[] {
  const { target } = call;
  const [list] = call.args;
  if (target?.kind !== 'const' || typeof target.value !== 'string' || list?.kind !== 'list') return [];
  const args = list.elements.map(({ value }) => value);
  const typeOf = (expr: Expr) => found.get(expr) ?? errorType;
  let used = 0;
  let wrong: Expr | undefined;
  try {
    replaceClauses(target.value, args.length, ({ verb }, i) => {
      used++;
      const arg = args[i];
      wrong = arg && unfit(arg, formatKinds[verb], verb === 's', typeOf);
      if (wrong !== undefined) throw wrongArgument(verb, declaredName({ ...typeOf(wrong), params: [] }));
      return '';
    });
  } catch (error) {
    if (!(error instanceof FormatClauseError)) throw error;
    return [{ at: wrong?.at ?? call.at, message: error.message }];
  }
  if (args.length <= used) return [];
  const message = `too many arguments supplied to string.format (expected ${used}, got ${args.length})`;
  return [{ at: call.at, message }];
}

/** The part of an argument whose type is not among `kinds`; undefined if there is none. `deep` includes the members of literals. */
function unfit(
  expr: Expr,
  kinds: readonly CelKind[],
  deep: boolean,
  typeOf: (expr: Expr) => CelType,
): Expr | undefined {
  const { kind } = typeOf(expr);
  if (kind !== 'dyn' && !kinds.includes(kind)) return expr;
  if (!deep) return undefined;
  const parts =
    expr.kind === 'list'
      ? expr.elements.map(({ value }) => value)
      : expr.kind === 'map'
        ? expr.entries.flatMap(({ key, value }) => [key, value])
        : [];
  return parts.map((part) => unfit(part, kinds, deep, typeOf)).find((bad) => bad !== undefined);
}
