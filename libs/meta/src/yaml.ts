import { isUtf8 } from 'node:buffer';
import { parseJsonInSlices, parseJsonStrict, type ParsedJson } from './json.ts';
import { JsonNumberError, JsonSyntaxError } from './json-reader/json-error.ts';
import { YamlError } from './yaml-error.ts';
import { readYaml, readYamlInSlices, type ParsedYaml } from './yaml-reader/reader.ts';

export { YamlError };
export type { ParsedYaml };
export { stringifyYaml, yamlText } from './yaml-writer.ts';

const forbiddenCharacter = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function toText(input: Buffer | string): string {
  if (typeof input !== 'string' && startsAsUtf16(input)) return toText(utf16Text(input));
  if (typeof input !== 'string' && !isUtf8(input)) throw new YamlError('yaml: invalid leading UTF-8 octet');
  const text = typeof input === 'string' ? input : input.toString('utf8');
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (forbiddenCharacter.test(body)) throw new YamlError('yaml: control characters are not allowed');
  return body;
}

/** The byte order mark says that it is, and which of the two. */
const startsAsUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

function utf16Text(bytes: Buffer): string {
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return (bytes[0] === 0xff ? whole : whole.swap16()).toString('utf16le');
}

/** What the reader of JSON takes in double quotes and Go's of YAML does not: surrogates, even in pairs, and `\\/`. */
const foreignEscape = /\\\/|\\ud[89a-f][\da-f]{2}/i;

/** Where JSON and YAML differ: tabs, some escapes, keys apart from their colons. */
const mayBeJson = (text: string): boolean =>
  text.startsWith('{') && !text.includes('\t') && !foreignEscape.test(text) && !/\n[^\S\n]*:/.test(text);

/** The same, once it is read: floats, integers beyond int64, repeated keys. */
function asYaml({ value, duplicateFields, facts, numberError }: ParsedJson): ParsedYaml | undefined {
  const differs = duplicateFields.length > 0 || facts !== undefined || numberError !== undefined;
  return differs ? undefined : { value, duplicateFields };
}

/** What is wrong with it, the reader of YAML words. */
function unlessSyntaxError(error: unknown): undefined {
  if (error instanceof JsonSyntaxError || error instanceof JsonNumberError) return undefined;
  throw error;
}

/** JSON is YAML, and what clients send as YAML mostly is JSON: read as that it takes a tenth of the time. Undefined where the two differ. */
function parseAsJson(text: string): ParsedYaml | undefined {
  if (!mayBeJson(text)) return undefined;
  try {
    return asYaml(parseJsonStrict(text));
  } catch (error) {
    return unlessSyntaxError(error);
  }
}

/** So short a text is read at once. */
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
 * As parseYaml, and reports repeated keys the way strict decoding does. For the error form join them:
 * `yaml: unmarshal errors:\n  line 7: key "a" already set in map`.
 */
export function parseYamlStrict(input: Buffer | string): ParsedYaml {
  const text = toText(input);
  return parseAsJson(text) ?? readYaml(text);
}

/**
 * As parseYamlStrict for large documents: other work has its turn while this one is read. A document that has more members than
 * `mostMembers`, those of its aliases included, is RequestEntityTooLarge.
 */
export async function parseYamlInSlices(input: Buffer | string, mostMembers = Infinity): Promise<ParsedYaml> {
  const text = toText(input);
  return (await parseAsJsonInSlices(text, mostMembers)) ?? readYamlInSlices(text, mostMembers);
}

/**
 * The first document of a YAML text as JSON values, with the meaning that sigs.k8s.io/yaml gives it: `yes` is true,
 * `0777` is octal, timestamps stay strings, keys become strings, of a repeated key the last one stays.
 * Throws YamlError with the Go parser's wording, also for documents that expand aliases without measure.
 */
export function parseYaml(input: Buffer | string): unknown {
  return parseYamlStrict(input).value;
}
