import type { Expr } from './ast.ts';
import type { Issue } from './issues.ts';
import { unquote, type Token } from './lexer.ts';
import * as types from './types.ts';
import { Uint, type Value } from './values.ts';

/** Parses a number. With `negative`, a minus sign at `at` precedes it. Errors are added to `issues`. */
export function numberLiteral(token: Token, negative: boolean, at: number, issues: Issue[]): Expr {
  const sign = negative ? -1 : 1;
  if (token.kind === 'double') {
    const value = sign * Number(token.text);
    if (!Number.isFinite(value)) issues.push({ at, message: 'invalid double literal' });
    return { kind: 'const', value, type: types.double, at };
  }
  const amount = BigInt(token.text.replace(/[uU]$/, '')) * BigInt(sign);
  if (token.kind === 'uint') {
    if (BigInt.asUintN(64, amount) !== amount) issues.push({ at, message: 'invalid uint literal' });
    return { kind: 'const', value: new Uint(amount), type: types.uint, at };
  }
  if (BigInt.asIntN(64, amount) !== amount) issues.push({ at, message: 'invalid int literal' });
  return { kind: 'const', value: amount, type: types.int, at };
}

/** Parses a text or bytes literal. Errors are added to `issues`. */
export function quotedLiteral(token: Token, issues: Issue[]): Expr {
  const type = token.kind === 'bytes' ? types.bytes : types.string;
  let value: Value = '';
  try {
    value = unquote(token.text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    issues.push({ at: token.at, message: error.message });
  }
  return { kind: 'const', value, type, at: token.at };
}
