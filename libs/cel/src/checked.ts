import type { CallExpr, Expr } from './ast.ts';
import type { Overload } from './overload.ts';
import type { CelType } from './types.ts';

/** The result of type checking: the type of every expression and the possible overloads of every call. */
export interface Checked {
  readonly expr: Expr;
  readonly type: CelType;
  readonly types: ReadonlyMap<Expr, CelType>;
  readonly calls: ReadonlyMap<CallExpr, ResolvedCall>;
  /** The variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
}

/** A call with its possible overloads. */
export interface ResolvedCall {
  readonly fn: string;
  readonly overloads: readonly Overload[];
  /** The arguments; the receiver is first, if there is one. */
  readonly args: readonly Expr[];
}
