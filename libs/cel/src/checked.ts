import type { CallExpr, Expr } from './ast.ts';
import type { Overload } from './overload.ts';
import type { CelType } from './types.ts';

/** What checking finds out: the type of every expression and the overloads that a call may go to. */
export interface Checked {
  readonly expr: Expr;
  readonly type: CelType;
  readonly types: ReadonlyMap<Expr, CelType>;
  readonly calls: ReadonlyMap<CallExpr, ResolvedCall>;
  /** Variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
}

/** A call with the overloads that it may go to. */
export interface ResolvedCall {
  readonly fn: string;
  readonly overloads: readonly Overload[];
  /** The receiver first, when the call has one. */
  readonly args: readonly Expr[];
}
