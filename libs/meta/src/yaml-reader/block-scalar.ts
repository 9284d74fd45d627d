import { Breaks, isBlank, isBreak, isBreakOrEnd, isDigit, type Cursor } from './cursor.ts';

interface Header {
  /** `-` removes all trailing line breaks, `+` keeps them, '' keeps one. */
  readonly chomping: string;
  readonly increment: number;
}

function scanIncrement(cursor: Cursor): number {
  if (!isDigit(cursor.code())) return 0;
  if (cursor.code() === 0x30) throw cursor.error('found an indentation indicator equal to 0');
  return Number(cursor.text.charAt(cursor.at++));
}

function scanChomping(cursor: Cursor): string {
  return cursor.code() === 0x2b || cursor.code() === 0x2d ? cursor.text.charAt(cursor.at++) : '';
}

function scanHeader(cursor: Cursor): Header {
  const before = scanChomping(cursor);
  const increment = scanIncrement(cursor);
  const chomping = before === '' && increment > 0 ? scanChomping(cursor) : before;
  while (isBlank(cursor.code())) cursor.at++;
  if (cursor.code() === 0x23) cursor.skipToBreak();
  if (!isBreakOrEnd(cursor.code())) throw cursor.error('did not find expected comment or line break');
  if (isBreak(cursor.code())) cursor.skipBreak();
  return { chomping, increment };
}

/** Skips empty lines and the indentation of the next line. `indent` is zero if not known yet. Returns the widest indentation found. */
function scanBreaks(cursor: Cursor, indent: number, breaks: Breaks): number {
  let widest = 0;
  for (;;) {
    const isIndentation = () => indent === 0 || cursor.column < indent;
    while (isIndentation() && cursor.code() === 0x20) cursor.at++;
    widest = Math.max(widest, cursor.column);
    if (isIndentation() && cursor.code() === 0x09)
      throw cursor.error('found a tab character where an indentation space is expected');
    if (!isBreak(cursor.code())) return widest;
    breaks.add(cursor.takeBreak());
  }
}

/**
 * Reads a literal or folded block. The cursor is at its indicator. `parentIndent` is the indentation of the enclosing collection, -1 if
 * there is none. Throws YamlError. Source: yaml_parser_scan_block_scalar of go.yaml.in/yaml/v2.
 */
export function scanBlockScalar(cursor: Cursor, parentIndent: number): string {
  const isLiteral = cursor.code() === 0x7c;
  cursor.at++;
  const { chomping, increment } = scanHeader(cursor);
  let indent = increment > 0 ? Math.max(parentIndent, 0) + increment : 0;
  let breaks = new Breaks();
  const widest = scanBreaks(cursor, indent, breaks);
  if (indent === 0) indent = Math.max(widest, parentIndent + 1, 1);

  let value = '';
  let lineBreak = '';
  let wasIndentedMore = false;
  while (cursor.column === indent && cursor.code() !== -1) {
    const isIndentedMore = isBlank(cursor.code());
    const isFolded = !isLiteral && !wasIndentedMore && !isIndentedMore && lineBreak === '\n';
    const between = isFolded ? (breaks.isEmpty ? ' ' : '') : lineBreak;
    const start = cursor.at;
    cursor.skipToBreak();
    value += between + breaks.toString() + cursor.text.slice(start, cursor.at);
    wasIndentedMore = isIndentedMore;
    lineBreak = cursor.takeBreak();
    breaks = new Breaks();
    scanBreaks(cursor, indent, breaks);
  }
  if (chomping !== '-') value += lineBreak;
  return chomping === '+' ? value + breaks.toString() : value;
}
