import { isUtf8 } from 'node:buffer';
import type { Document, LineCounter, YAMLMap, YAMLParseError } from 'yaml';
import { goQuote } from './go-quote.ts';
import { parseJsonStrict } from './json.ts';
import { JsonNumberError, JsonSyntaxError } from './json-parser.ts';
import { YamlError, yamlErrorFrom } from './yaml-error.ts';
import { flowDocumentEnd } from './yaml-flow.ts';
import { yamlLibrary } from './yaml-library.ts';
import { resolvePlain } from './yaml-scalar.ts';

export { YamlError };
export { stringifyYaml } from './yaml-writer.ts';

export interface ParsedYaml {
  value: unknown;
  /** One text for each repeated key: `line 7: key "a" already set in map`. */
  duplicateFields: string[];
}

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

/** Directives before the first document: those of YAML 1.1, and no others. */
function checkDirectives(text: string): void {
  for (const [i, line] of text.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, version = ''] = /^%([\w-]+)(?:\s+(\S+))?/.exec(line) ?? [];
    if (name === undefined) return;
    if (name === 'YAML' && /^\d+\.\d+$/.test(version) && !/^0*1\.0*1$/.test(version))
      throw new YamlError(`yaml: ${i === 0 ? '' : `line ${i}: `}found incompatible YAML document`);
    if (name !== 'YAML' && name !== 'TAG')
      throw new YamlError(`yaml: ${i === 0 ? '' : `line ${i + 1}: `}found unknown directive name`);
  }
}

/** The first document of a stream; what follows it is not even looked at. */
function firstDocument(text: string, lines: LineCounter): Document | undefined {
  const { Composer, Parser } = yamlLibrary();
  const composer = new Composer({ schema: 'failsafe', version: '1.1', uniqueKeys: false, lineCounter: lines });
  for (const document of composer.compose(new Parser(lines.addNewLine).parse(text), true, text.length)) {
    return document;
  }
  return undefined;
}

/** What our parser takes in double quotes and Go's does not: surrogates, even in pairs, and `\\/`. */
const foreignEscape = /\\\/|\\ud[89a-f][\da-f]{2}|\\U0000d[89a-f][\da-f]{2}/i;
const foreignEscapes = new RegExp(foreignEscape, 'gi');

/** The first error of the document; the parser is asked once more, with what it refuses too in the place of such escapes. */
function firstError(text: string, document: Document): YAMLParseError | undefined {
  if (!foreignEscape.test(text)) return document.errors[0];
  const marked = text.replace(foreignEscapes, (escape) =>
    escape === '\\/' ? '\\q' : escape.slice(0, 2) + 'z'.repeat(escape.length - 2),
  );
  return firstDocument(marked, new (yamlLibrary().LineCounter)())?.errors[0];
}

/** Share of decoded nodes that may come from aliases: nearly all in small documents, a tenth in huge ones. */
function allowedAliasRatio(decoded: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (decoded <= low) return 0.99;
  return decoded >= high ? 0.1 : 0.99 - 0.89 * ((decoded - low) / (high - low));
}

const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt\s].*)?$/;

interface ScalarNode {
  readonly value: unknown;
  readonly type?: string;
  readonly tag?: string;
  readonly source?: string;
  readonly range?: readonly [number, number, number] | null;
}

type Key = { readonly text: string; readonly shown: string };

function toFiniteNumber(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new JsonNumberError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
}

function integerValue(value: bigint): number | bigint {
  const number = Number(value);
  // Beyond int64 the JSON that the YAML stands for is read as a float.
  return Number.isSafeInteger(number) || BigInt.asIntN(64, value) !== value ? number : value;
}

/** A value as Go's `%+#v` prints it. */
function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goElement).join(', ')}}`;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object') return '<nil>';
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${goQuote(key)}:${goElement(member)}`);
  return `map[interface {}]interface {}{${members.join(', ')}}`;
}
const goElement = (value: unknown): string => (value === null ? 'interface {}(nil)' : goSyntax(value));

/** Turns the nodes of one document into JSON values. */
class Decoder {
  readonly #yaml = yamlLibrary();
  readonly duplicates: string[] = [];
  readonly #lines: LineCounter;
  readonly #text: string;
  readonly #anchors = new Map<string, unknown>();
  readonly #open = new Set<string>();
  #decoded = 0;
  #aliased = 0;
  #aliasDepth = 0;

  constructor(lines: LineCounter, text: string) {
    this.#lines = lines;
    this.#text = text;
  }

  decode(node: unknown): unknown {
    this.#decoded++;
    if (this.#aliasDepth > 0) this.#aliased++;
    if (
      this.#aliased > 100 &&
      this.#decoded > 1000 &&
      this.#aliased / this.#decoded > allowedAliasRatio(this.#decoded)
    ) {
      throw new YamlError('yaml: document contains excessive aliasing');
    }
    if (this.#yaml.isAlias(node)) return this.#alias(node.source);
    const anchor =
      this.#yaml.isScalar(node) || this.#yaml.isMap(node) || this.#yaml.isSeq(node) ? node.anchor : undefined;
    if (anchor === undefined) return this.#content(node);
    this.#anchors.set(anchor, node);
    this.#open.add(anchor);
    const value = this.#content(node);
    this.#open.delete(anchor);
    return value;
  }

  #alias(name: string): unknown {
    const node = this.#anchors.get(name);
    if (node === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    if (this.#open.has(name)) throw new YamlError(`yaml: anchor '${name}' value contains itself`);
    this.#aliasDepth++;
    const value = this.decode(node);
    this.#aliasDepth--;
    return value;
  }

  #content(node: unknown): unknown {
    if (this.#yaml.isMap(node)) return Object.fromEntries(this.#members(node));
    if (this.#yaml.isSeq(node)) return node.items.map((item) => this.decode(item));
    return this.#yaml.isScalar(node) ? this.#scalar(node) : null;
  }

  #members(map: YAMLMap, into = new Map<string, unknown>(), seen = new Set<string>()): Map<string, unknown> {
    for (const pair of map.items) {
      if (!this.#yaml.isPair(pair)) continue;
      if (this.#isMergeKey(pair.key)) {
        this.#merge(pair.value, into, seen);
        continue;
      }
      const key = this.#key(pair.key, pair.value);
      const value = this.decode(pair.value);
      if (seen.has(key.shown))
        this.duplicates.push(`line ${this.#line(pair.value, pair.key)}: key ${key.shown} already set in map`);
      seen.add(key.shown);
      into.set(key.text, value);
    }
    return into;
  }

  #isMergeKey(key: unknown): boolean {
    return this.#yaml.isScalar(key) && key.type === 'PLAIN' && key.tag === undefined && key.source === '<<';
  }

  #merge(source: unknown, into: Map<string, unknown>, seen: Set<string>): void {
    const node = this.#yaml.isAlias(source) ? this.#anchors.get(source.source) : source;
    if (this.#yaml.isMap(node)) this.#members(node, into, seen);
    else if (this.#yaml.isSeq(node) && source === node) {
      // The first of several maps wins, so it is merged last.
      for (const item of node.items.toReversed()) this.#merge(item, into, new Set());
    } else throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
  }

  /** A key as JSON spells it and as messages show it: `1` and `"1"` are different keys to YAML. */
  #key(node: unknown, member: unknown): Key {
    const key = this.decode(node);
    if (typeof key === 'string') return { text: key, shown: goQuote(key) };
    if (typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean') {
      return { text: String(key), shown: String(key) };
    }
    if (key !== null) throw new YamlError(`yaml: invalid map key: ${goSyntax(key)}`);
    throw new YamlError(
      `unsupported map key of type: %!s(<nil>), key: ${goSyntax(key)}, value: ${goSyntax(this.decode(member))}`,
    );
  }

  #line(value: unknown, key: unknown): number {
    for (const node of [value, key]) {
      const isNode =
        this.#yaml.isScalar(node) || this.#yaml.isMap(node) || this.#yaml.isSeq(node) || this.#yaml.isAlias(node);
      const empty = this.#yaml.isScalar(node) && node.source === '';
      if (isNode && !empty && node.range) return this.#lines.linePos(node.range[0]).line;
    }
    return 1;
  }

  /** A block that the text ends in has no line break that the text has not. */
  #textOf({ value, type, source, range }: ScalarNode): string {
    const text = typeof value === 'string' ? value : (source ?? '');
    if (type?.startsWith('BLOCK') !== true || !text.endsWith('\n') || range?.[1] !== this.#text.length) return text;
    const lastLine = this.#text.slice(this.#text.lastIndexOf('\n') + 1);
    return lastLine.trim() === '' ? text : text.slice(0, -1);
  }

  #scalar(node: ScalarNode): unknown {
    const text = this.#textOf(node);
    if (node.tag === '!!binary' || node.tag === 'tag:yaml.org,2002:binary') {
      if (!/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(text.replace(/[\r\n]/g, '')))
        throw new YamlError('yaml: !!binary value contains invalid base64 data');
      return Buffer.from(text, 'base64').toString('utf8');
    }
    const plain =
      node.tag === undefined
        ? node.type === undefined || node.type === 'PLAIN'
        : /[!:](?:int|float|bool|null|timestamp)$/.test(node.tag);
    if (!plain) return text;
    const meaning = resolvePlain(text);
    const wanted = node.tag?.replace(/^.*[!:]/, '');
    if (wanted === 'timestamp' && timestamp.test(text)) return text;
    if (wanted !== undefined && meaning.kind !== wanted && !(wanted === 'float' && meaning.kind === 'int'))
      throw new YamlError(
        `yaml: cannot decode !!${meaning.kind === 'string' ? 'str' : meaning.kind} \`${text}\` as a !!${wanted}`,
      );
    switch (meaning.kind) {
      case 'null':
        return null;
      case 'bool':
        return meaning.value;
      case 'int':
        return integerValue(meaning.value);
      case 'float':
        return toFiniteNumber(meaning.value);
      default:
        return text;
    }
  }
}

/**
 * JSON is YAML, and what clients send as YAML mostly is JSON: read as that it takes a tenth of the time. Undefined where the two differ:
 * tabs, some escapes, keys apart from their colons, floats, integers beyond int64, repeated keys.
 */
function parseAsJson(text: string): ParsedYaml | undefined {
  if (!text.startsWith('{') || text.includes('\t') || foreignEscape.test(text) || /\n[^\S\n]*:/.test(text))
    return undefined;
  try {
    const { value, duplicateFields, numberLiterals, numberError } = parseJsonStrict(text);
    const differs = duplicateFields.length > 0 || numberLiterals.size > 0 || numberError !== undefined;
    return differs ? undefined : { value, duplicateFields };
  } catch (error) {
    // What is wrong with it, the other parser words.
    if (error instanceof JsonSyntaxError || error instanceof JsonNumberError) return undefined;
    throw error;
  }
}

/**
 * As parseYaml, and reports repeated keys the way strict decoding does. For the error form join them:
 * `yaml: unmarshal errors:\n  line 7: key "a" already set in map`.
 */
export function parseYamlStrict(input: Buffer | string): ParsedYaml {
  const whole = toText(input);
  const json = parseAsJson(whole);
  if (json !== undefined) return json;
  const text = whole.slice(0, flowDocumentEnd(whole));
  const lines = new (yamlLibrary().LineCounter)();
  if (text.includes('%')) checkDirectives(text);
  const document = firstDocument(text, lines);
  if (document === undefined) return { value: null, duplicateFields: [] };
  const error = firstError(text, document);
  if (error !== undefined) {
    throw yamlErrorFrom(error, text, (offset) => lines.linePos(offset).line);
  }
  const decoder = new Decoder(lines, text);
  const value = decoder.decode(document.contents);
  return { value, duplicateFields: decoder.duplicates };
}

/**
 * The first document of a YAML text as JSON values, with the meaning that sigs.k8s.io/yaml gives it: `yes` is true,
 * `0777` is octal, timestamps stay strings, keys become strings, of a repeated key the last one stays.
 * Throws YamlError with the Go parser's wording, also for documents that expand aliases without measure.
 */
export function parseYaml(input: Buffer | string): unknown {
  return parseYamlStrict(input).value;
}
