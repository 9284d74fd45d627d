import type { CelType } from './types.ts';
import type { Value } from './values.ts';

/** An expression. `at` is the offset, in code points, of the token at which errors about the expression are reported. Macros are expanded. */
export type Expr =
  | { readonly kind: 'const'; readonly value: Value; readonly type: CelType; readonly at: number }
  | (Named & { readonly kind: 'ident' })
  | {
      readonly kind: 'select';
      readonly operand: Expr;
      readonly field: string;
      readonly testOnly: boolean;
      readonly at: number;
    }
  | CallExpr
  | { readonly kind: 'list'; readonly elements: readonly ListElement[]; readonly at: number }
  | { readonly kind: 'map'; readonly entries: readonly MapEntry[]; readonly at: number }
  | (Named & { readonly kind: 'struct'; readonly fields: readonly StructField[] })
  | Comprehension;

interface Named {
  readonly name: string;
  /** Whether a dot precedes the name; errors include it. */
  readonly rooted?: boolean;
  readonly at: number;
}
export interface CallExpr {
  readonly kind: 'call';
  readonly rooted?: boolean;
  readonly fn: string;
  readonly target?: Expr;
  readonly args: readonly Expr[];
  readonly at: number;
}
export interface ListElement {
  readonly value: Expr;
  readonly optional: boolean;
}
export interface MapEntry extends ListElement {
  readonly key: Expr;
}
/** One `name: value` of a message. */
export interface StructField extends ListElement {
  readonly name: string;
  readonly at: number;
}
/** A fold over `range`, the expansion of macros. */
export interface Comprehension {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly iterVar: string;
  /** Two-variable form: iterVar is the index or key, iterVar2 the value. */
  readonly iterVar2?: string;
  readonly accuVar: string;
  readonly accuInit: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
  readonly at: number;
}

/** The direct subexpressions of an expression. */
export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'const':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements.map(({ value }) => value);
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.accuInit, expr.condition, expr.step, expr.result];
  }
}

/** The name of a macro's accumulator. Source text cannot contain this name. */
export const accumulator = '@result';

/** The dotted name that an expression consists of; undefined for other expressions. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name === accumulator ? undefined : expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
