import { isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, isWord, type Cursor } from './cursor.ts';
import { scanTagHandle, scanTagUri } from './tag.ts';

export type Directive =
  | { readonly name: 'YAML'; readonly major: number; readonly minor: number }
  | { readonly name: 'TAG'; readonly handle: string; readonly prefix: string };

const maxVersionDigits = 9;

function scanNumber(cursor: Cursor): number {
  const start = cursor.at;
  while (isDigit(cursor.code())) cursor.at++;
  if (cursor.at - start > maxVersionDigits) throw cursor.error('found extremely long version number');
  if (cursor.at === start) throw cursor.error('did not find expected version number');
  return Number(cursor.text.slice(start, cursor.at));
}

function skipBlanks(cursor: Cursor): void {
  while (isBlank(cursor.code())) cursor.at++;
}

function scanName(cursor: Cursor): string {
  const start = cursor.at;
  while (isWord(cursor.code())) cursor.at++;
  if (cursor.at === start) throw cursor.error('could not find expected directive name');
  if (!isBlankOrEnd(cursor.code())) throw cursor.error('found unexpected non-alphabetical character');
  return cursor.text.slice(start, cursor.at);
}

function scanValue(cursor: Cursor, name: string): Directive {
  skipBlanks(cursor);
  if (name === 'YAML') {
    const major = scanNumber(cursor);
    if (cursor.code() !== 0x2e) throw cursor.error("did not find expected digit or '.' character");
    cursor.at++;
    return { name, major, minor: scanNumber(cursor) };
  }
  const handle = scanTagHandle(cursor);
  if (handle !== '!' && !handle.endsWith('!')) throw cursor.error("did not find expected '!'");
  if (!isBlank(cursor.code())) throw cursor.error('did not find expected whitespace');
  skipBlanks(cursor);
  const prefix = scanTagUri(cursor, false);
  if (!isBlankOrEnd(cursor.code())) throw cursor.error('did not find expected whitespace or line break');
  return { name: 'TAG', handle, prefix };
}

/** Reads a line that begins with `%`, where the cursor is. Throws YamlError. Source: yaml_parser_scan_directive of go.yaml.in/yaml/v2. */
export function scanDirective(cursor: Cursor): Directive {
  cursor.at++;
  const name = scanName(cursor);
  if (name !== 'YAML' && name !== 'TAG') throw cursor.error('found unknown directive name');
  const directive = scanValue(cursor, name);
  skipBlanks(cursor);
  if (cursor.code() === 0x23) cursor.skipToBreak();
  if (!isBreakOrEnd(cursor.code())) throw cursor.error('did not find expected comment or line break');
  if (isBreak(cursor.code())) cursor.skipBreak();
  return directive;
}
