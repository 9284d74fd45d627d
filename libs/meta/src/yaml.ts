import { isUtf8 } from 'node:buffer';
import { parseJsonInSlices, parseJsonStrict, type ParsedJson } from './json.ts';
import { JsonNumberError, JsonSyntaxError } from './json-reader/json-error.ts';
import { YamlError } from './yaml-error.ts';
import { readYaml, readYamlInSlices, type ParsedYaml } from './yaml-reader/reader.ts';

export { YamlError };
export type { ParsedYaml };
export { stringifyYaml, yamlPieces, yamlText } from './yaml-writer.ts';

const forbiddenCharacter = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function toText(input: Buffer | string): string {
  if (typeof input !== 'string' && startsAsUtf16(input)) return toText(utf16Text(input));
  if (typeof input !== 'string' && !isUtf8(input)) throw new YamlError('yaml: invalid leading UTF-8 octet');
  const text = typeof input === 'string' ? input : input.toString('utf8');
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (forbiddenCharacter.test(body)) throw new YamlError('yaml: control characters are not allowed');
  return body;
}

/** Whether the text begins with a byte order mark of UTF-16, in either byte order. */
const startsAsUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

function utf16Text(bytes: Buffer): string {
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return (bytes[0] === 0xff ? whole : whole.swap16()).toString('utf16le');
}

/** Escapes in double quotes that the JSON reader accepts and Go's YAML parser does not: surrogates, even in pairs, and `\\/`. */
const foreignEscape = /\\\/|\\ud[89a-f][\da-f]{2}/i;

/** Whether JSON and YAML may read the text alike. They differ in tabs, some escapes, and keys on another line than their colons. */
const mayBeJson = (text: string): boolean =>
  text.startsWith('{') && !text.includes('\t') && !foreignEscape.test(text) && !/\n[^\S\n]*:/.test(text);

/** The parsed JSON as YAML, undefined where the two differ: floats, integers beyond int64, repeated keys. */
function asYaml({ value, duplicateFields, facts, numberError }: ParsedJson): ParsedYaml | undefined {
  const differs = duplicateFields.length > 0 || facts !== undefined || numberError !== undefined;
  return differs ? undefined : { value, duplicateFields };
}

/** Syntax errors are ignored, because the YAML reader reports them. */
function unlessSyntaxError(error: unknown): undefined {
  if (error instanceof JsonSyntaxError || error instanceof JsonNumberError) return undefined;
  throw error;
}

/** Reads a YAML text as JSON, which takes a tenth of the time. Most YAML from clients is JSON. Undefined where the two differ. */
function parseAsJson(text: string): ParsedYaml | undefined {
  if (!mayBeJson(text)) return undefined;
  try {
    return asYaml(parseJsonStrict(text));
  } catch (error) {
    return unlessSyntaxError(error);
  }
}

/** Texts up to this length are read in one step. */
const maxTextAtOnce = 64 * 1024;

async function parseAsJsonInSlices(text: string, mostMembers: number): Promise<ParsedYaml | undefined> {
  if (text.length <= Math.min(maxTextAtOnce, 2 * mostMembers)) return parseAsJson(text);
  if (!mayBeJson(text)) return undefined;
  try {
    return asYaml(await parseJsonInSlices(text, mostMembers));
  } catch (error) {
    return unlessSyntaxError(error);
  }
}

/**
 * Like parseYaml, but also reports repeated keys as strict decoding does. To make the error message, join them:
 * `yaml: unmarshal errors:\n  line 7: key "a" already set in map`.
 */
export function parseYamlStrict(input: Buffer | string): ParsedYaml {
  const text = toText(input);
  return parseAsJson(text) ?? readYaml(text);
}

/**
 * Like parseYamlStrict, for large documents: it yields to other work while it reads. A document of more than `mostMembers` members,
 * including those of its aliases, throws RequestEntityTooLarge.
 */
export async function parseYamlInSlices(input: Buffer | string, mostMembers = Infinity): Promise<ParsedYaml> {
  const text = toText(input);
  return (await parseAsJsonInSlices(text, mostMembers)) ?? readYamlInSlices(text, mostMembers);
}

/**
 * The first document of a YAML text as JSON values, with the meaning that sigs.k8s.io/yaml gives it: `yes` is true, `0777` is octal,
 * timestamps stay strings, keys become strings, and the last value of a repeated key is kept. Throws YamlError with the message of the Go
 * parser, also for excessive aliases.
 */
export function parseYaml(input: Buffer | string): unknown {
  return parseYamlStrict(input).value;
}
