import { Breaks, folded, isBlank, isBlankOrEnd, isBreak, type Cursor } from './cursor.ts';

/** `,?[]{}`, which end plain text in a flow collection. */
const isFlowIndicator = (code: number): boolean =>
  code === 0x2c || code === 0x3f || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;

/** The end of the text of this line that begins at the cursor, without white space after it. A long line is one slice, and not a slice per word. */
function textEnd({ text, at }: Cursor, inFlow: boolean): number {
  let end = at;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isBlank(code)) continue;
    // A comment begins after white space only.
    if (isBreak(code) || (code === 0x23 && end < i)) break;
    if (code === 0x3a && (i + 1 >= text.length || isBlankOrEnd(text.charCodeAt(i + 1)))) break;
    if (inFlow && isFlowIndicator(code)) break;
    end = i + 1;
  }
  return end;
}

/**
 * Reads a plain scalar. `indent` is the least indentation of its lines. `multiline` tells whether line breaks were skipped after it. Throws
 * YamlError. Source: yaml_parser_scan_plain_scalar of go.yaml.in/yaml/v2.
 */
export function scanPlainScalar(
  cursor: Cursor,
  inFlow: boolean,
  indent: number,
): { readonly value: string; readonly multiline: boolean } {
  let value = '';
  let multiline = false;
  let between = '';
  while (!cursor.isAtDocumentIndicator() && cursor.code() !== 0x23) {
    const end = textEnd(cursor, inFlow);
    if (end > cursor.at) {
      const text = cursor.text.slice(cursor.at, end);
      value = value === '' ? text : value + between + text;
      cursor.at = end;
      multiline = false;
    }
    if (!isBlank(cursor.code()) && !isBreak(cursor.code())) break;
    ({ between, multiline } = scanBetween(cursor, indent));
    if (!inFlow && cursor.column < indent) break;
  }
  return { value, multiline };
}

/** Reads white space and line breaks. `between` replaces them if more text follows. */
function scanBetween(cursor: Cursor, indent: number): { between: string; multiline: boolean } {
  const start = cursor.at;
  while (isBlank(cursor.code())) cursor.at++;
  if (!isBreak(cursor.code())) return { between: cursor.text.slice(start, cursor.at), multiline: false };
  const first = cursor.takeBreak();
  const others = new Breaks();
  for (let code = cursor.code(); isBlank(code) || isBreak(code); code = cursor.code()) {
    if (isBreak(code)) others.add(cursor.takeBreak());
    else if (code === 0x09 && cursor.column < indent)
      throw cursor.error('found a tab character that violates indentation');
    else cursor.at++;
  }
  return { between: folded(first, others), multiline: true };
}
