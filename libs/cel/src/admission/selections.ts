import { children, type Expr } from '../ast.ts';
import { parse } from '../parser.ts';

const selectsIt = (expr: Expr, operand: string, field: string): boolean => {
  const isOperand = (found: Expr | undefined) => found?.kind === 'ident' && found.name === operand;
  if (expr.kind === 'select') return expr.field === field && isOperand(expr.operand);
  if (expr.kind !== 'call' || expr.fn !== '_?._') return false;
  const [receiver, name] = expr.args;
  return isOperand(receiver) && name?.kind === 'const' && name.value === field;
};

/** Whether an expression reads a field of a variable, e.g. `claims.email` or `claims.?email`. Throws CompileError. */
export function selects(source: string, operand: string, field: string): boolean {
  const search = (expr: Expr): boolean => selectsIt(expr, operand, field) || children(expr).some(search);
  return search(parse(source));
}
