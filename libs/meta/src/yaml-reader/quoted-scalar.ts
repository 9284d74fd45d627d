import { Breaks, folded, isBlank, isBreak, isBreakOrEnd, type Cursor } from './cursor.ts';

const escapes: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);
const codeLengths: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);
const hex = /^[\dA-Fa-f]*/;

/** The character of an escape sequence. The cursor is at the backslash. */
function takeEscape(cursor: Cursor): string {
  const letter = cursor.text.charAt(cursor.at + 1);
  const character = escapes.get(letter);
  if (character !== undefined) {
    cursor.at += 2;
    return character;
  }
  const length = codeLengths.get(letter);
  if (length === undefined) throw cursor.error('found unknown escape character');
  cursor.at += 2;
  const digits = cursor.text.slice(cursor.at, cursor.at + length);
  if (hex.exec(digits)?.[0].length !== length) throw cursor.error('did not find expected hexdecimal number');
  const code = parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    throw cursor.error('found invalid Unicode character escape code');
  cursor.at += length;
  return String.fromCodePoint(code);
}

/**
 * Reads a quoted scalar. The cursor is at the opening quote. Throws YamlError.
 * Source: yaml_parser_scan_flow_scalar of go.yaml.in/yaml/v2.
 */
export function scanQuotedScalar(cursor: Cursor): string {
  const quote = cursor.code();
  cursor.at++;
  let value = '';
  for (;;) {
    if (cursor.isAtDocumentIndicator()) throw cursor.error('found unexpected document indicator');
    if (cursor.code() === -1) throw cursor.error('found unexpected end of stream');
    const { text, escapedBreak } = scanLine(cursor, quote);
    value += text;
    if (cursor.code() === quote) break;
    value += scanBetween(cursor, escapedBreak);
  }
  cursor.at++;
  return value;
}

const backslash = 0x5c;
const singleQuote = 0x27;

/**
 * Reads the text of a line, up to the closing quote, or to white space before a line break or the end. `escapedBreak`: an escaped line break was
 * skipped, which adds no text. White space between words is part of the text: a long text is one slice, and not a slice per word.
 */
function scanLine(cursor: Cursor, quote: number): { text: string; escapedBreak: boolean } {
  let text = '';
  let start = cursor.at;
  const upToHere = () => cursor.text.slice(start, cursor.at);
  for (let code = cursor.code(); !isBreakOrEnd(code); code = cursor.code()) {
    if (isBlank(code)) {
      const end = endOfBlanks(cursor);
      if (isBreakOrEnd(cursor.text.charCodeAt(end))) break;
      cursor.at = end;
    } else if (code === quote) {
      if (quote !== singleQuote || cursor.code(1) !== singleQuote) break;
      cursor.at++;
      text += upToHere();
      start = ++cursor.at;
    } else if (code === backslash && quote !== singleQuote) {
      text += upToHere();
      if (isBreak(cursor.code(1))) {
        cursor.at++;
        cursor.skipBreak();
        return { text, escapedBreak: true };
      }
      text += takeEscape(cursor);
      start = cursor.at;
    } else cursor.at++;
  }
  return { text: text + upToHere(), escapedBreak: false };
}

function endOfBlanks(cursor: Cursor): number {
  let end = cursor.at;
  while (isBlank(cursor.text.charCodeAt(end))) end++;
  return end;
}

/** The replacement of white space and line breaks between the texts of two lines. */
function scanBetween(cursor: Cursor, afterBreak: boolean): string {
  const start = cursor.at;
  while (isBlank(cursor.code())) cursor.at++;
  if (!afterBreak && !isBreak(cursor.code())) return cursor.text.slice(start, cursor.at);
  const first = afterBreak ? '' : cursor.takeBreak();
  const others = new Breaks();
  for (let code = cursor.code(); isBlank(code) || isBreak(code); code = cursor.code()) {
    if (isBreak(code)) others.add(cursor.takeBreak());
    else cursor.at++;
  }
  return folded(first, others);
}
