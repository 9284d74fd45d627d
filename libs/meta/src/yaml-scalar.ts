/**
 * The meaning of plain YAML text to the parser that Kubernetes uses (YAML 1.1 in goyaml.v2). Reader and writer share it: a text must be
 * quoted if it would be read as another value.
 */
export type PlainScalar =
  | { readonly kind: 'null' | 'string' | 'timestamp' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number };

const spellings = (words: string) => words.split(' ');
const constants = new Map<string, PlainScalar>([
  ...['', '~', ...spellings('null Null NULL')].map((word): [string, PlainScalar] => [word, { kind: 'null' }]),
  ...spellings('y Y yes Yes YES true True TRUE on On ON').map((word): [string, PlainScalar] => [
    word,
    { kind: 'bool', value: true },
  ]),
  ...spellings('n N no No NO false False FALSE off Off OFF').map((word): [string, PlainScalar] => [
    word,
    { kind: 'bool', value: false },
  ]),
  ...spellings('.nan .NaN .NAN').map((word): [string, PlainScalar] => [word, { kind: 'float', value: NaN }]),
  ...spellings('.inf .Inf .INF +.inf +.Inf +.INF').map((word): [string, PlainScalar] => [
    word,
    { kind: 'float', value: Infinity },
  ]),
  ...spellings('-.inf -.Inf -.INF').map((word): [string, PlainScalar] => [word, { kind: 'float', value: -Infinity }]),
]);

const timestamp =
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Sexagesimal numbers of YAML 1.1. This parser reads them as strings, but others do not, so they are written quoted. */
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

const integers: readonly (readonly [RegExp, string])[] = [
  [/^0[xX]([0-9a-fA-F]+)$/, '0x'],
  [/^0[bB]([01]+)$/, '0b'],
  [/^0[oO]?([0-7]+)$/, '0o'],
  [/^(0|[1-9][0-9]*)$/, ''],
];
/** The number of binary digits of the largest integer. */
const maxDigits = 64;
const maxUint64 = (1n << 64n) - 1n;
const minInt64 = -(1n << 63n);

function parseInteger(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  const digits = negative || text.startsWith('+') ? text.slice(1) : text;
  for (const [pattern, prefix] of integers) {
    const match = pattern.exec(digits);
    if (match === null) continue;
    const significant = (match[1] ?? '').replace(/^0+(?=[0-9a-fA-F])/, '');
    if (significant.length > maxDigits) return undefined;
    const value = BigInt(`${prefix}${significant}`) * (negative ? -1n : 1n);
    return value > maxUint64 || value < minInt64 ? undefined : value;
  }
  return undefined;
}

/** A longer text is not a number: the number would be out of range, or consist of zeros only. */
const longestNumber = 1024;

/** The meaning of plain text. Timestamps are read as strings; the writer quotes them. */
export function resolvePlain(text: string): PlainScalar {
  const constant = constants.get(text);
  if (constant !== undefined) return constant;
  if (text.length > longestNumber || !/^[-+.0-9]/.test(text)) return { kind: 'string' };
  if (timestamp.test(text)) return { kind: 'timestamp' };
  const plain = text.replaceAll('_', '');
  const integer = parseInteger(plain);
  if (integer !== undefined) return { kind: 'int', value: integer };
  if (float.test(plain)) {
    const value = Number(plain);
    if (Number.isFinite(value)) return { kind: 'float', value };
  }
  return { kind: 'string' };
}

/** Whether plain text is read back as the same string, by this parser and by parsers that read sexagesimal numbers. */
export const meansItself = (text: string): boolean => resolvePlain(text).kind === 'string' && !base60.test(text);
