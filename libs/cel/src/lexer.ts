import type { Issue } from './issues.ts';

export type TokenKind = 'ident' | 'escaped' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'op' | 'end';
export interface Token {
  readonly kind: TokenKind;
  /** The source text of the token. */
  readonly text: string;
  readonly at: number;
}

const number = /^(?:(\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(0x[0-9a-fA-F]+|\d+)([uU]?))/;
const escapes = String.raw`\\(?:[abfnrtv"'\x60\\?]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const quoted = new RegExp(
  `^[bB]?(?:"""(?:(?!""")[^\\\\]|${escapes})*?"""|'''(?:(?!''')[^\\\\]|${escapes})*?'''|"(?:[^\\\\"\n\r]|${escapes})*"|'(?:[^\\\\'\n\r]|${escapes})*')`,
);
/** A text literal with a malformed escape, up to the character that makes it invalid. */
const malformed = new RegExp(
  `^[bB]?(?:"(?:[^\\\\"\n\r]|${escapes})*|'(?:[^\\\\'\n\r]|${escapes})*)\\\\(?!${escapes.slice(2)})(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?[^]`,
  'u',
);
const rawQuoted = /^(?:[rR][bB]?|[bB][rR])("""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/;
/** The beginning of a token, and the character that makes it invalid. */
const unrecognized = new RegExp(
  `^(?:[=&|][^]|"(?:[^\\\\"\n\r]|${escapes})*[\n\r]?|'(?:[^\\\\'\n\r]|${escapes})*[\n\r]?|\`[A-Za-z0-9_.\\-/ ]*[^]?|[^])`,
  'u',
);
const operators = /^(?:==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}])/;

/** Splits an expression into tokens. https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax */
export function tokenize(source: string): { tokens: Token[]; issues: Issue[] } {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let rest = source;
  let at = 0;
  const take = (kind: TokenKind | undefined, text: string) => {
    if (kind !== undefined) tokens.push({ kind, text, at });
    rest = rest.slice(text.length);
    at += [...text].length;
  };
  while (rest !== '') {
    const blank = /^(?:[\t \r\n\f]+|\/\/[^\n]*)/.exec(rest)?.[0];
    if (blank !== undefined) {
      take(undefined, blank);
      continue;
    }
    const literal = rawQuoted.exec(rest) ?? quoted.exec(rest);
    if (literal !== null) {
      take(/^[rR]?[bB]/.test(literal[0]) ? 'bytes' : 'string', literal[0]);
      continue;
    }
    const broken = malformed.exec(rest)?.[0];
    if (broken !== undefined) {
      issues.push({ at, message: `Syntax error: token recognition error at: '${broken}'` });
      take(undefined, broken);
      continue;
    }
    const digits = number.exec(rest);
    if (digits !== null) {
      take(digits[1] !== undefined ? 'double' : digits[3] !== '' ? 'uint' : 'int', digits[0]);
      continue;
    }
    const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(rest)?.[0];
    const escaped = /^`[A-Za-z0-9_.\-/ ]+`/.exec(rest)?.[0];
    const operator = operators.exec(rest)?.[0];
    if (name !== undefined) take('ident', name);
    else if (escaped !== undefined) take('escaped', escaped);
    else if (operator !== undefined) take('op', operator);
    else {
      const bad = unrecognized.exec(rest)?.[0] ?? rest;
      issues.push({ at, message: `Syntax error: token recognition error at: '${bad}'` });
      take(undefined, bad);
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', at });
  return { tokens, issues };
}

const simpleEscapes: ReadonlyMap<string, number> = new Map([
  ...[...'\\?"\'`'].map((c): [string, number] => [c, c.charCodeAt(0)]),
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
]);

/** The value of a string literal, or the bytes of a bytes literal. Throws Error if an escape is malformed. */
export function unquote(literal: string): string | Uint8Array {
  const prefix = /^[rRbB]*/.exec(literal)?.[0].toLowerCase() ?? '';
  const body = literal.slice(prefix.length);
  const width = body.startsWith('"""') || body.startsWith("'''") ? 3 : 1;
  const inner = body.slice(width, -width).replaceAll(/\r\n?/g, '\n');
  const isBytes = prefix.includes('b');
  if (prefix.includes('r') || !inner.includes('\\')) return isBytes ? Buffer.from(inner) : inner;
  const parts: (string | number)[] = [];
  const escape = /\\(x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[^])|[^\\]+/gu;
  for (const match of inner.matchAll(escape)) {
    const code = match[1];
    if (code === undefined) parts.push(match[0]);
    else parts.push(escapeCode(code, isBytes));
  }
  if (isBytes) return Buffer.concat(parts.map((p) => (typeof p === 'string' ? Buffer.from(p) : Buffer.of(p))));
  return parts.map((p) => (typeof p === 'string' ? p : String.fromCodePoint(p))).join('');
}

function escapeCode(code: string, isBytes: boolean): number {
  const simple = simpleEscapes.get(code);
  if (simple !== undefined) return simple;
  const lead = code.charAt(0);
  if (code.length > 1 && /[xX]/.test(lead)) return Number.parseInt(code.slice(1), 16);
  if (code.length > 1 && /[uU]/.test(lead)) {
    const point = Number.parseInt(code.slice(1), 16);
    if (isBytes || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
      throw new Error('unable to unescape string');
    return point;
  }
  if (code.length === 3) return Number.parseInt(code, 8);
  throw new Error('unable to unescape string');
}
