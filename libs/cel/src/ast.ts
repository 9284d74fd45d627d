import type { CelType } from './types.ts';
import type { Value } from './values.ts';

/** An expression; `at` is the offset in code points of the token that errors about it point to. Macros are expanded. */
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
  /** Written with a dot before it; errors show that. */
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
/** `name: value` of a message. */
export interface StructField extends ListElement {
  readonly name: string;
  readonly at: number;
}
/** A fold over `range`: what the macros become. */
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

/** The expressions that an expression consists of. */
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

/** The name under which a macro's accumulator is known inside it; no expression can spell it. */
export const accumulator = '@result';

/** The dotted name that an expression spells, undefined when it is more than that. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name === accumulator ? undefined : expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
