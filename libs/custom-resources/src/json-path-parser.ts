/** One step of a path. `value` is a literal number, boolean or text, as on the right of a comparison. */
export type PathNode =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'array'; readonly slice: Slice }
  | { readonly kind: 'filter'; readonly left: PathNode[]; readonly right: PathNode[]; readonly operator: string }
  | { readonly kind: 'union'; readonly lists: readonly PathNode[][] }
  | { readonly kind: 'value'; readonly value: string | boolean | number; readonly isFloat: boolean }
  | { readonly kind: 'wildcard' | 'recursive' }
  | { readonly kind: 'identifier'; readonly name: string };

/** `[from:to:step]`. A single index has `to` one higher; index -1 is the last element. */
export interface Slice {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly isIndex: boolean;
  readonly step: number | undefined;
}

/**
 * Parses the text between the braces of a JSONPath template. Throws Error when it is malformed. The grammar is that of
 * k8s.io/client-go/util/jsonpath: names end at `.`, `,`, `[`, `]`, `$`, `@`, braces and blanks unless a backslash precedes them, and `['a.b']` is
 * `.a.b`.
 */
export function parsePathNodes(text: string): PathNode[] {
  const nodes: PathNode[] = [];
  let rest = text;
  while (rest !== '' && !rest.startsWith('}')) rest = rest.slice(take(rest, nodes));
  return nodes;
}

const fieldPattern = /^(?:\\.|[^\s.,[\]$@{}\\])*/su;
const startsName = /^[\p{L}\p{Nd}_]/u;

/** Appends the next node. Returns the length of its text. */
function take(rest: string, nodes: PathNode[]): number {
  if (rest.startsWith('[?(')) return takeFilter(rest, nodes);
  if (rest.startsWith('..')) return takeRecursive(rest, nodes);
  const [first = ''] = rest;
  if (first === ' ' || first === '@' || first === '$') return 1;
  if (first === '[') return takeBrackets(rest, nodes);
  if (first === '"' || first === "'") return takeQuoted(rest, first, nodes);
  if (first === '.') return 1 + takeField(rest.slice(1), nodes);
  if (/^[-+\d]/.test(first)) return takeNumber(rest, nodes);
  if (startsName.test(rest)) return takeIdentifier(rest, nodes);
  throw new Error(`unrecognized character in action: ${first}`);
}

function takeField(rest: string, nodes: PathNode[]): number {
  const [written = ''] = fieldPattern.exec(rest) ?? [];
  nodes.push(written === '*' ? { kind: 'wildcard' } : { kind: 'field', name: written.replaceAll('\\', '') });
  return written.length;
}

function takeRecursive(rest: string, nodes: PathNode[]): number {
  if (nodes.at(-1)?.kind === 'recursive') throw new Error('invalid multiple recursive descent');
  nodes.push({ kind: 'recursive' });
  return startsName.test(rest.slice(2)) ? 2 + takeField(rest.slice(2), nodes) : 2;
}

function takeNumber(rest: string, nodes: PathNode[]): number {
  const [written = ''] = /^[-+]?[.\d]*/.exec(rest) ?? [];
  const isFloat = !/^[-+]?\d+$/.test(written);
  if (isFloat && !/^[-+]?(\d+(\.\d*)?|\.\d+)$/.test(written)) throw new Error(`cannot parse number ${written}`);
  nodes.push({ kind: 'value', value: Number(written), isFloat });
  return written.length;
}

function takeIdentifier(rest: string, nodes: PathNode[]): number {
  const [name = ''] = /^[^\s.,[\]$@{}]*/.exec(rest) ?? [];
  if (name === 'true' || name === 'false') nodes.push({ kind: 'value', value: name === 'true', isFloat: false });
  else nodes.push({ kind: 'identifier', name });
  return name.length;
}

function takeQuoted(rest: string, quote: string, nodes: PathNode[]): number {
  const end = closingQuote(rest, quote, 1);
  if (end < 0) throw new Error('unterminated quoted string');
  nodes.push({ kind: 'value', value: unquoted(rest.slice(1, end)), isFloat: false });
  return end + 1;
}

function closingQuote(text: string, quote: string, from: number): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1))
    if (text[at - 1] !== '\\') return at;
  return -1;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
const unquoted = (text: string): string => text.replaceAll(/\\(.)/gs, (_, c: string) => escapes[c] ?? c);

function takeBrackets(rest: string, nodes: PathNode[]): number {
  const end = rest.indexOf(']');
  if (end < 0) throw new Error('unterminated array');
  const inside = rest.slice(1, end);
  const parts = inside.split(',');
  if (parts.length > 1) nodes.push({ kind: 'union', lists: parts.map((part) => parsePathNodes(`[${part.trim()}]`)) });
  else if (/^'[^']*'$/.test(inside)) nodes.push(...parsePathNodes(`.${inside.slice(1, -1)}`));
  else nodes.push({ kind: 'array', slice: parseSlice(inside === '*' ? ':' : inside) });
  return end + 1;
}

function parseSlice(text: string): Slice {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (match === null || match.slice(1).some((part) => part === '-' || part === ':-'))
    throw new Error(`invalid array index ${text}`);
  const [, first = '', second, third] = match;
  const bound = (part: string | undefined) =>
    part === undefined || part === ':' || part === '' ? undefined : Number(part.replace(':', ''));
  const from = bound(first);
  if (second === undefined) return { from, to: (from ?? 0) + 1, isIndex: true, step: undefined };
  return { from, to: bound(second), isIndex: false, step: bound(third) };
}

function takeFilter(rest: string, nodes: PathNode[]): number {
  const end = filterEnd(rest);
  const text = rest.slice('[?('.length, end);
  const match = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(text);
  const [, left = text, operator = 'exists', right = ''] = match ?? [];
  nodes.push({ kind: 'filter', left: parsePathNodes(left), right: parsePathNodes(right), operator });
  return end + ')]'.length;
}

/** The position of the closing parenthesis. Parentheses within the first quoted text are ignored. */
function filterEnd(rest: string): number {
  let quote = '';
  let isClosed = false;
  for (let at = '[?('.length; at < rest.length; at++) {
    const c = rest[at] ?? '';
    if ((c === '"' || c === "'") && quote === '') quote = c;
    else if (c === quote && rest[at - 1] !== '\\') isClosed = true;
    else if (c === ')' && (quote !== '') === isClosed) {
      if (rest[at + 1] !== ']') throw new Error('unclosed array expect ]');
      return at;
    }
  }
  throw new Error('unterminated filter');
}
