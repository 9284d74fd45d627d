import { randomInt } from 'node:crypto';
import { goQuoteByte } from '@apichain/go-text';
import { setFacts, type DocumentFacts, type Occurrence, type RepeatedMembers } from './document-facts.ts';
import { newTooManyMembers } from './member-limit.ts';

/** A document that is not JSON. The message is Go's, as the API server passes it on: `unexpected end of JSON input`. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** Where in the text (UTF-16 units) the reader stopped. */
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** A number that is JSON but fits no Go number: `json: cannot unmarshal number 1e400 into Go value of type float64`. */
export class JsonNumberError extends Error {
  override readonly name = 'JsonNumberError';
}

/** A document, and what its text said that the value does not show. */
export interface ParsedJson {
  value: unknown;
  /** Paths such as `spec.containers[0].name` that occur more than once, each listed once, at most 100. */
  duplicateFields: string[];
  facts: DocumentFacts | undefined;
  /** What is wrong with the first number that fits no float64; its value is infinite. */
  numberError?: JsonNumberError;
}

/** Nesting that Go's decoder refuses to go beyond. */
export const maxJsonDepth = 10_000;
const maxDuplicates = 100;
/** Paths of repeated keys are noted as long as they have no more characters than this together. */
const maxDuplicateText = 1 << 20;
/** Number literals at longer paths are not noted, nor more of them than this many characters of paths have room for. */
export const maxLiteralPath = 1024;
const maxLiteralText = 1 << 24;

interface Frame {
  /** Exactly one of the two is the container being filled. */
  readonly object: Record<string, unknown> | undefined;
  readonly array: unknown[] | undefined;
  key: string;
  /** Of the container, made when it is first asked for. */
  path: string | undefined;
  /** Of the container, made when it or what is in it first names a member again. */
  repeats: RepeatsSoFar | undefined;
  /** Of the container, see ContainerFacts. */
  wholeFloats: Set<string | number> | undefined;
}

interface RepeatsSoFar extends RepeatedMembers {
  readonly former: Map<string, Occurrence[]>;
  readonly within: Map<string | number, RepeatedMembers>;
}

const noRepeats = (): RepeatsSoFar => ({ former: new Map(), within: new Map() });

/** Told of every key: the container's frame, the frames around it, and whether the container had the key before. */
interface KeyListener {
  onKey(stack: readonly Frame[], repeated: boolean): void;
  /** Nothing is left to find, so the rest of the text need not be read. */
  readonly isDone: boolean;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const isDigit = (code: number) => code >= 48 && code <= 57;
const isHex = (code: number) => isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);

function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

export interface JsonReaderOptions {
  readonly listener?: KeyListener;
  /** A document with more members at all depths is refused; without it there is no bound. */
  readonly mostMembers?: number;
}

/**
 * Reads JSON the way Go's encoding/json and sigs.k8s.io/json do, one character at a time and without recursion:
 * int64 beyond 2^53 as bigint, duplicate keys noted (the last one stays), lone surrogates replaced by U+FFFD.
 */
export class JsonReader {
  readonly #text: string;
  readonly #stack: Frame[] = [];
  readonly #duplicates = new Set<string>();
  readonly #literals = new Map<string, string>();
  readonly #listener: KeyListener | undefined;
  #membersLeft: number;
  #position = 0;
  /** The value that has been read last, unread before the first. */
  #finished: unknown = unread;
  #duplicateText = 0;
  #literalText = 0;
  /** Of the container that was closed last, until it is in its own container. */
  #closedRepeats: RepeatsSoFar | undefined;
  #numberError: JsonNumberError | undefined;

  constructor(text: string, { listener, mostMembers = Infinity }: JsonReaderOptions = {}) {
    this.#text = text;
    this.#listener = listener;
    this.#membersLeft = mostMembers;
  }

  /** Reads up to so many values; answers whether the document is complete. Throws JsonSyntaxError; RequestEntityTooLarge for too many members. */
  advance(values: number): boolean {
    let value = this.#finished === unread ? this.#value() : this.#finished;
    for (let left = values; left > 0; left--) {
      const frame = this.#stack[this.#stack.length - 1];
      if (frame === undefined || this.#listener?.isDone === true) {
        this.#finished = value;
        return true;
      }
      value = this.#step(frame, value);
    }
    this.#finished = value;
    return false;
  }

  /** The document, once it is complete. Throws JsonSyntaxError. */
  result(): ParsedJson {
    const value = this.#finished;
    this.#blanks();
    if (this.#position < this.#text.length) this.#fail('after top-level value');
    const repeats = this.#closedRepeats;
    const hasFacts = repeats !== undefined || this.#literals.size > 0;
    return {
      value,
      duplicateFields: [...this.#duplicates],
      facts: hasFacts ? { numberLiterals: this.#literals, repeats } : undefined,
      ...(this.#numberError === undefined ? {} : { numberError: this.#numberError }),
    };
  }

  /**
   * Stores a finished value in its container and reads on; answers the next finished value. An empty container that has
   * just been opened arrives here as its own value, `opened`.
   */
  #step(frame: Frame, finished: unknown): unknown {
    if (finished === opened) {
      this.#blanks();
      const close = frame.object === undefined ? 93 : 125;
      if (this.#code() === close) return this.#close();
      if (frame.object !== undefined) this.#key(frame, frame.object);
      return this.#value();
    }
    if (--this.#membersLeft < 0) throw newTooManyMembers();
    if (this.#closedRepeats !== undefined) this.#keepRepeats(frame, this.#closedRepeats);
    if (frame.object !== undefined) setOwn(frame.object, frame.key, finished);
    else frame.array?.push(finished);
    this.#blanks();
    const code = this.#code();
    if (frame.object !== undefined) {
      if (code === 125) return this.#close();
      if (code !== 44) this.#fail('after object key:value pair');
      this.#position++;
      this.#blanks();
      this.#key(frame, frame.object);
    } else {
      if (code === 93) return this.#close();
      if (code !== 44) this.#fail('after array element');
      this.#position++;
    }
    return this.#value();
  }

  #close(): unknown {
    this.#position++;
    const frame = this.#stack.pop();
    this.#closedRepeats = frame?.repeats;
    return frame?.object ?? frame?.array;
  }

  #keepRepeats(frame: Frame, repeats: RepeatsSoFar): void {
    frame.repeats ??= noRepeats();
    frame.repeats.within.set(frame.array?.length ?? frame.key, repeats);
    this.#closedRepeats = undefined;
  }

  #key(frame: Frame, object: Record<string, unknown>): void {
    if (this.#code() !== 34) this.#fail('looking for beginning of object key string');
    frame.key = this.#string();
    const repeated = Object.hasOwn(object, frame.key);
    if (repeated) this.#repeated(frame, object);
    this.#listener?.onKey(this.#stack, repeated);
    this.#blanks();
    if (this.#code() !== 58) this.#fail('after object key');
    this.#position++;
  }

  #repeated(frame: Frame, object: Record<string, unknown>): void {
    const { key } = frame;
    const repeats = (frame.repeats ??= noRepeats());
    const occurrence = { value: object[key], repeats: repeats.within.get(key) };
    repeats.within.delete(key);
    frame.wholeFloats?.delete(key);
    const values = repeats.former.get(key);
    if (values !== undefined) {
      values.push(occurrence);
      return;
    }
    repeats.former.set(key, [occurrence]);
    if (this.#duplicates.size >= maxDuplicates || this.#duplicateText > maxDuplicateText) return;
    const path = pathIn(this.#stack);
    this.#duplicateText += path.length;
    this.#duplicates.add(path);
  }

  #value(): unknown {
    this.#blanks();
    const code = this.#code();
    switch (code) {
      case 34:
        return this.#string();
      case 123:
        return this.#open({
          object: {},
          array: undefined,
          key: '',
          path: undefined,
          repeats: undefined,
          wholeFloats: undefined,
        });
      case 91:
        return this.#open({
          object: undefined,
          array: [],
          key: '',
          path: undefined,
          repeats: undefined,
          wholeFloats: undefined,
        });
      case 116:
        return this.#literal('true', true);
      case 102:
        return this.#literal('false', false);
      case 110:
        return this.#literal('null', null);
      default:
        if (code === 45 || isDigit(code)) return this.#number();
        return this.#fail('looking for beginning of value');
    }
  }

  #open(frame: Frame): unknown {
    if (this.#stack.length >= maxJsonDepth) this.#fail('exceeded max depth');
    this.#stack.push(frame);
    this.#position++;
    return opened;
  }

  #literal(word: string, value: unknown): unknown {
    for (const expected of word) {
      if (this.#text.charAt(this.#position) !== expected) {
        this.#fail(`in literal ${word} (expecting '${expected}')`);
      }
      this.#position++;
    }
    return value;
  }

  #string(): string {
    const text = this.#text;
    let start = ++this.#position;
    let out = '';
    for (;;) {
      const code = text.charCodeAt(this.#position);
      if (code === 34) break;
      if (code === 92) {
        out += text.slice(start, this.#position) + this.#escape();
        start = this.#position;
      } else if (code >= 0x20) this.#position++;
      else this.#fail('in string literal');
    }
    out += text.slice(start, this.#position++);
    return out.isWellFormed() ? out : out.toWellFormed();
  }

  #escape(): string {
    const letter = this.#text.charAt(++this.#position);
    if (letter !== 'u') {
      const character = escapes[letter];
      if (character === undefined) this.#fail('in string escape code');
      this.#position++;
      return character;
    }
    const start = ++this.#position;
    for (; this.#position < start + 4; this.#position++) {
      if (!isHex(this.#code())) this.#fail('in \\u hexadecimal character escape');
    }
    return String.fromCharCode(parseInt(this.#text.slice(start, this.#position), 16));
  }

  #digits(): void {
    while (isDigit(this.#code())) this.#position++;
  }

  #number(): number | bigint {
    const start = this.#position;
    let integer = true;
    if (this.#code() === 45) this.#position++;
    if (this.#code() === 48) this.#position++;
    else if (isDigit(this.#code())) this.#digits();
    else this.#fail('in numeric literal');
    if (this.#code() === 46) {
      integer = false;
      this.#position++;
      if (!isDigit(this.#code())) this.#fail('after decimal point in numeric literal');
      this.#digits();
    }
    if ((this.#code() | 32) === 101) {
      integer = false;
      this.#position++;
      if (this.#code() === 43 || this.#code() === 45) this.#position++;
      if (!isDigit(this.#code())) this.#fail('in exponent of numeric literal');
      this.#digits();
    }
    return this.#toNumber(this.#text.slice(start, this.#position), integer);
  }

  #toNumber(literal: string, integer: boolean): number | bigint {
    const value = Number(literal);
    if (integer && Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    if (integer && literal.length <= 20) {
      const exact = BigInt(literal);
      if (BigInt.asIntN(64, exact) === exact) return exact;
    }
    if (!Number.isFinite(value)) {
      this.#numberError ??= new JsonNumberError(
        `json: cannot unmarshal number ${literal} into Go value of type float64`,
      );
    }
    this.#noteLiteral(literal);
    if (Number.isSafeInteger(value)) this.#rememberFloat();
    return value;
  }

  #noteLiteral(literal: string): void {
    if (this.#literalText > maxLiteralText || this.#stack.length > maxLiteralPath) return;
    const path = pathIn(this.#stack);
    if (path.length > maxLiteralPath) return;
    this.#literalText += path.length;
    this.#literals.set(path, literal);
  }

  #rememberFloat(): void {
    const frame = this.#stack.at(-1);
    const container = frame?.object ?? frame?.array;
    if (frame === undefined || container === undefined) return;
    if (frame.wholeFloats === undefined) {
      frame.wholeFloats = new Set();
      setFacts(container, { wholeFloats: frame.wholeFloats });
    }
    frame.wholeFloats.add(frame.array?.length ?? frame.key);
  }

  #code(): number {
    return this.#position < this.#text.length ? this.#text.charCodeAt(this.#position) : -1;
  }

  #blanks(): void {
    for (;;) {
      const code = this.#code();
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#position++;
    }
  }

  /** Go reports the first byte of the offending character, or that the input ended where a blank could stand. */
  #fail(context: string): never {
    const rune = this.#text.codePointAt(this.#position);
    if (rune === undefined) throw new JsonSyntaxError(endMessage(context), this.#position);
    const byte = Buffer.from(String.fromCodePoint(rune), 'utf8')[0] ?? 0;
    throw new JsonSyntaxError(`invalid character ${goQuoteByte(byte)} ${context}`, this.#position);
  }
}

const endMessage = (context: string): string =>
  /^in (?:literal|numeric|exponent|string escape|\\u)|^after decimal/.test(context)
    ? `invalid character ' ' ${context}`
    : 'unexpected end of JSON input';

const opened = Symbol('opened container');
const unread = Symbol('unread document');

/** The path of a step below `path`: of the member or element that its container is about to get. */
const stepBelow = (path: string, { array, key }: Frame): string =>
  array !== undefined ? `${path}[${array.length}]` : path === '' ? key : `${path}.${key}`;

/** The path of the value that is read now. What is around a container stays as it is, so its own path is made once. */
function pathIn(stack: readonly Frame[]): string {
  let known = stack.length - 1;
  while (known > 0 && stack[known]?.path === undefined) known--;
  let path = stack[known]?.path ?? '';
  for (let i = known; i < stack.length; i++) {
    const frame = stack[i];
    if (frame === undefined) break;
    frame.path = path;
    path = stepBelow(path, frame);
  }
  return path;
}

/** Reads a JSON text completely. Throws JsonSyntaxError; RequestEntityTooLarge for more members than `mostMembers`. */
export function readJson(text: string, mostMembers = Infinity): ParsedJson {
  const reader = new JsonReader(text, { mostMembers });
  reader.advance(Infinity);
  return reader.result();
}

/** Where a container is, as a hash of the characters of its path. */
interface HashedFrame {
  readonly frame: Frame | undefined;
  readonly hash: number;
  readonly isRoot: boolean;
}

const seed = randomInt(2 ** 31);
/** Odd, so that no bit is lost. */
const factor = randomInt(2 ** 30) * 2 + 1;

function extendHash(hash: number, text: string): number {
  let extended = hash;
  for (let i = 0; i < text.length; i++) extended = Math.imul(extended ^ text.charCodeAt(i), factor) ^ (extended >>> 15);
  return extended;
}

/**
 * Finds paths among the keys of a document by hashes that grow with the path: a path itself is made only where one of them seems to be.
 */
class PathFinder implements KeyListener {
  readonly #unknown: Map<number, string>;
  readonly #repeated: Map<number, string>;
  /** One for each container around the key. */
  readonly #containers: HashedFrame[] = [];
  readonly found: { path: string; repeated: boolean }[] = [];

  constructor(unknown: ReadonlySet<string>, repeated: ReadonlySet<string>) {
    const byHash = (paths: ReadonlySet<string>) => new Map([...paths].map((path) => [extendHash(seed, path), path]));
    this.#unknown = byHash(unknown);
    this.#repeated = byHash(repeated);
  }

  get isDone(): boolean {
    return this.#unknown.size === 0 && this.#repeated.size === 0;
  }

  onKey(stack: readonly Frame[], repeated: boolean): void {
    const hash = this.#hashOf(stack);
    const wanted = repeated ? this.#repeated : this.#unknown;
    const path = wanted.get(hash);
    if (path === undefined || path !== pathIn(stack)) return;
    wanted.delete(hash);
    this.found.push({ path, repeated });
  }

  #hashOf(stack: readonly Frame[]): number {
    const containers = this.#containers;
    if (containers.length > stack.length) containers.length = stack.length;
    // What is around a container never changes, so the innermost one that is still open tells for all around it.
    while (containers.length > 0 && containers.at(-1)?.frame !== stack[containers.length - 1]) containers.pop();
    let last = containers.at(-1);
    for (let i = containers.length; i < stack.length; i++) {
      last = { frame: stack[i], ...(last === undefined ? { hash: seed, isRoot: true } : below(last)) };
      containers.push(last);
    }
    return last === undefined ? seed : below(last).hash;
  }
}

/** What `stepBelow` adds to a path. */
function below({ frame, hash, isRoot }: HashedFrame): { hash: number; isRoot: boolean } {
  if (frame?.array !== undefined) return { hash: extendHash(hash, `[${frame.array.length}]`), isRoot: false };
  const key = frame?.key ?? '';
  return { hash: extendHash(hash, isRoot ? key : `.${key}`), isRoot: isRoot && key === '' };
}

/**
 * Reads a JSON text again for the order of its faults: keys of `unknown` by the place where they first stand, keys of
 * `repeated` by that of the repetition. Both are paths as `readJson` spells them. Throws JsonSyntaxError.
 */
export function inDocumentOrder(
  text: string,
  unknown: ReadonlySet<string>,
  repeated: ReadonlySet<string>,
): { path: string; repeated: boolean }[] {
  const finder = new PathFinder(unknown, repeated);
  new JsonReader(text, { listener: finder }).advance(Infinity);
  return finder.found;
}
