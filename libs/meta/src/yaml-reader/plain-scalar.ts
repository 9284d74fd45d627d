import { Breaks, folded, isBlank, isBlankOrEnd, isBreak, type Cursor } from './cursor.ts';

/** `,?[]{}`, which end plain text in a flow collection. */
const isFlowIndicator = (code: number): boolean =>
  code === 0x2c || code === 0x3f || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;

/** The end of the text without white space that begins at the cursor. */
function wordEnd({ text, at }: Cursor, inFlow: boolean): number {
  let end = at;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (isBlank(code) || isBreak(code)) break;
    if (code === 0x3a && (end + 1 >= text.length || isBlankOrEnd(text.charCodeAt(end + 1)))) break;
    if (inFlow && isFlowIndicator(code)) break;
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
    const end = wordEnd(cursor, inFlow);
    if (end > cursor.at) {
      const word = cursor.text.slice(cursor.at, end);
      value = value === '' ? word : value + between + word;
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
