import { isBlankOrEnd, isWord, type Cursor } from './cursor.ts';

/** A tag as written: `!!str` is `!!` and `str`, `!x` is `!` and `x`, `!` is '' and `!`, `!<x>` is '' and `x`. */
export interface WrittenTag {
  readonly handle: string;
  readonly suffix: string;
}

const uriCharacters = new Set([...";/?:@&=+$.,!~*'()[]%"].map((character) => character.charCodeAt(0)));
const escapedOctets = /(?:%[\dA-Fa-f]{2})+/g;

/** Reads the URI of a tag. Throws YamlError if it is empty and `mayBeEmpty` is false. */
export function scanTagUri(cursor: Cursor, mayBeEmpty: boolean): string {
  const start = cursor.at;
  while (isWord(cursor.code()) || uriCharacters.has(cursor.code())) {
    if (cursor.code() === 0x25 && !/^%[\dA-Fa-f]{2}/.test(cursor.text.slice(cursor.at, cursor.at + 3)))
      throw cursor.error('did not find URI escaped octet');
    cursor.at++;
  }
  if (cursor.at === start && !mayBeEmpty) throw cursor.error('did not find expected tag URI');
  const uri = cursor.text.slice(start, cursor.at);
  return uri.replace(escapedOctets, (octets) => Buffer.from(octets.replaceAll('%', ''), 'hex').toString('utf8'));
}

/** Reads `!`, `!!` or `!name!`, or the beginning of one of them. */
export function scanTagHandle(cursor: Cursor): string {
  if (cursor.code() !== 0x21) throw cursor.error("did not find expected '!'");
  const start = cursor.at++;
  while (isWord(cursor.code())) cursor.at++;
  if (cursor.code() === 0x21) cursor.at++;
  return cursor.text.slice(start, cursor.at);
}

function scanWritten(cursor: Cursor): WrittenTag {
  if (cursor.code(1) === 0x3c) {
    cursor.at += 2;
    const suffix = scanTagUri(cursor, false);
    if (cursor.code() !== 0x3e) throw cursor.error("did not find the expected '>'");
    cursor.at++;
    return { handle: '', suffix };
  }
  const handle = scanTagHandle(cursor);
  if (handle.length > 1 && handle.endsWith('!')) return { handle, suffix: scanTagUri(cursor, false) };
  const suffix = handle.slice(1) + scanTagUri(cursor, true);
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

/** Reads a tag. The cursor is at the `!`. Throws YamlError. Source: yaml_parser_scan_tag of go.yaml.in/yaml/v2. */
export function scanTag(cursor: Cursor): WrittenTag {
  const tag = scanWritten(cursor);
  if (!isBlankOrEnd(cursor.code())) throw cursor.error('did not find expected whitespace or line break');
  return tag;
}
