import { isIP } from 'node:net';
import { DurationError, formatDuration, goQuote, parseDurationMs, readCommandLine } from '@apichain/go-text';
import { didYouMean } from '@apichain/meta';
import { FlagError, type FlagDefinition, type FlagType } from './flag.ts';

type FlagValue = string | number | boolean | readonly string[] | ReadonlyMap<string, string>;

/** The values of a command line, including defaults. Reading an undefined name, or a value as another type, throws Error. */
export class ParsedFlags {
  readonly #values: ReadonlyMap<string, { readonly type: FlagType; readonly value: FlagValue }>;
  readonly #given: ReadonlySet<string>;
  readonly #warnings: string[];

  constructor(
    values: ReadonlyMap<string, { readonly type: FlagType; readonly value: FlagValue }>,
    given: ReadonlySet<string>,
    warnings: string[],
  ) {
    this.#values = values;
    this.#given = given;
    this.#warnings = warnings;
  }

  /** One line for each flag that was given but has no effect. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Adds a warning, which copies of these flags have too. A line that is there already is not added again. */
  warn(line: string): void {
    if (!this.#warnings.includes(line)) this.#warnings.push(line);
  }

  /** Every flag with its value in the format of the help, sorted by name. */
  all(): Record<string, string> {
    const shown = [...this.#values].map(([name, { type, value }]) => [name, showValue(type, value)] as const);
    return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Whether the flag was given on the command line. */
  isSet(name: string): boolean {
    return this.#given.has(name);
  }

  /** Whether the server has the flag. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** A copy in which flags of type string have other values, for what the program itself decides. Throws Error for other flags. */
  withStrings(values: Readonly<Record<string, string>>): ParsedFlags {
    const changed = new Map(this.#values);
    for (const [name, value] of Object.entries(values)) {
      this.#get(name, 'string');
      changed.set(name, { type: 'string', value });
    }
    return new ParsedFlags(changed, this.#given, this.#warnings);
  }

  #get(name: string, ...types: FlagType[]): FlagValue {
    const entry = this.#values.get(name);
    if (entry === undefined || !types.includes(entry.type)) throw new Error(`no ${types.join('/')} flag --${name}`);
    return entry.value;
  }

  string(name: string): string {
    const value = this.#get(name, 'string', 'ip');
    return typeof value === 'string' ? value : '';
  }

  strings(name: string): readonly string[] {
    const value = this.#get(name, 'strings');
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** The values as written, one for each occurrence of the flag. */
  texts(name: string): readonly string[] {
    const value = this.#get(name, 'namedCertKey');
    return Array.isArray(value) ? value.map(String) : [];
  }

  bool(name: string): boolean {
    return this.#get(name, 'bool') === true;
  }

  number(name: string): number {
    return Number(this.#get(name, 'int', 'float'));
  }

  /** Milliseconds. */
  duration(name: string): number {
    return Number(this.#get(name, 'duration'));
  }

  map(name: string): ReadonlyMap<string, string> {
    const value = this.#get(name, 'map');
    return value instanceof Map ? value : new Map();
  }
}

/** Formats a value as Go's flag library does for its type. */
function showValue(type: FlagType, value: FlagValue): string {
  if (type === 'duration') return formatDuration(BigInt(Math.round(Number(value) * 1e6)));
  if (value instanceof Map) {
    const pairs = [...value].map(([key, member]) => `${String(key)}=${String(member)}`);
    return pairs.sort().join(',');
  }
  if (typeof value === 'object') {
    const items = [...value].map(String);
    return type === 'strings' ? `[${items.join(',')}]` : items.join(';');
  }
  return String(value);
}

/**
 * Parses `--flag=value`, `--flag value`, `--bool`, `-v3`; underscores in names count as dashes. Throws FlagError, with the text of kube-apiserver,
 * for an unknown flag, a missing or invalid value, and an argument that is not a flag.
 */
export function parseFlags(definitions: readonly FlagDefinition[], argv: readonly string[]): ParsedFlags {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const texts = new Map<string, string[]>();
  const warnings: string[] = [];
  const definitionOf = (name: string): FlagDefinition => {
    const definition = byName.get(normal(name));
    if (definition !== undefined) return definition;
    throw new FlagError(`unknown flag: --${normal(name)}${didYouMean(normal(name), byName.keys(), '--')}`);
  };
  readCommandLine(argv, {
    bare: (name) => {
      const { type, bare } = definitionOf(name);
      return type === 'bool' ? 'true' : bare;
    },
    flag: (written, text) => {
      const { name, effectIn } = definitionOf(written);
      if (text === undefined) throw new FlagError(`flag needs an argument: --${name}`);
      const before = texts.get(name);
      if (before === undefined) {
        texts.set(name, [text]);
        if (effectIn !== undefined) warnings.push(withoutEffect(name, effectIn));
      } else before.push(text);
    },
    argument: (word) => {
      throw new FlagError(`unexpected argument ${goQuote(word)}: only flags are accepted`);
    },
    shorthand: (letter, word) => {
      const definition = definitions.find(({ shorthand }) => shorthand === letter);
      if (definition === undefined) throw new FlagError(`unknown shorthand flag: '${letter}' in ${word}`);
      return definition.name;
    },
  });
  const values = new Map<string, { type: FlagType; value: FlagValue }>();
  for (const definition of definitions) {
    const given = texts.get(definition.name) ?? (definition.default === undefined ? [] : [definition.default]);
    values.set(definition.name, { type: definition.type, value: readValue(definition, given) });
  }
  return new ParsedFlags(values, new Set(texts.keys()), warnings);
}

const withoutEffect = (name: string, effectIn: readonly string[]): string =>
  effectIn.length === 0
    ? `--${name} is accepted but has no effect`
    : `--${name} has no effect in this server, but in ${effectIn.join(' and ')}`;

const normal = (name: string) => name.replaceAll('_', '-');

function readValue(definition: FlagDefinition, texts: readonly string[]): FlagValue {
  const last = texts[texts.length - 1] ?? '';
  switch (definition.type) {
    case 'string':
      return last;
    case 'ip':
      return readIp(definition, last);
    case 'strings':
      return texts.flatMap((text) => (text === '' ? [] : text.split(',').map((part) => part.trim())));
    case 'namedCertKey':
      return texts;
    case 'bool':
      return texts.length === 0 ? false : readBool(definition, last);
    case 'int':
    case 'float':
      return texts.length === 0 ? 0 : readNumber(definition, last);
    case 'duration':
      return texts.length === 0 ? 0 : readDuration(definition, last);
    case 'map':
      return readMap(definition, texts);
  }
}

const trueTexts: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falseTexts: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function badValue(definition: FlagDefinition, text: string, why: string): FlagError {
  return new FlagError(`invalid argument ${goQuote(text)} for ${goQuote(`--${definition.name}`)} flag: ${why}`);
}

function readBool(definition: FlagDefinition, text: string): boolean {
  if (trueTexts.has(text)) return true;
  if (falseTexts.has(text)) return false;
  throw badValue(definition, text, `strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`);
}

function readIp(definition: FlagDefinition, text: string): string {
  if (text === '' || isIP(text) !== 0) return text;
  throw badValue(definition, text, `failed to parse IP: ${goQuote(text)}`);
}

function readNumber(definition: FlagDefinition, text: string): number {
  const value = Number(text);
  const good =
    text.trim() !== '' && Number.isFinite(value) && (definition.type === 'float' || Number.isSafeInteger(value));
  if (good) return value;
  const parser = definition.type === 'float' ? 'strconv.ParseFloat' : 'strconv.ParseInt';
  const why = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  throw badValue(definition, text, `${parser}: parsing ${goQuote(text)}: ${why}`);
}

function readDuration(definition: FlagDefinition, text: string): number {
  try {
    return parseDurationMs(text);
  } catch (error) {
    if (error instanceof DurationError) throw badValue(definition, text, error.message);
    throw error;
  }
}

function readMap(definition: FlagDefinition, texts: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const pair of texts.flatMap((text) => text.split(','))) {
    if (pair.trim() === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 0 && definition.name === 'runtime-config') map.set(pair.trim(), 'true');
    else if (equals < 0) throw badValue(definition, pair, `malformed pair, expect string=string`);
    else map.set(pair.slice(0, equals).trim(), pair.slice(equals + 1).trim());
  }
  return map;
}
