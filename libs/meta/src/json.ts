import { isUtf8 } from 'node:buffer';
import { goQuoteByte } from '@apichain/go-text';
import { decodeBrokenUtf8 } from '@apichain/go-text';
import { inDocumentOrder } from './json-reader/document-order.ts';
import { JsonNumberError, JsonSyntaxError } from './json-reader/json-error.ts';
import { maxLiteralPath } from './json-reader/numbers.ts';
import { JsonReader, readJson, type ParsedJson } from './json-reader/reader.ts';
import { inSlices } from './turns.ts';

/*
 * Texts that the platform's parser reads differently from Go: integers too long for a number, fractions and exponents (Go distinguishes 1.0
 * from 1), and escaped surrogates (Go replaces lone ones). The expressions also match within strings, which costs time but changes no
 * result. They are separate because one combined expression runs at half the speed. White space before a colon is rare, so it counts as a
 * match, which keeps the second expression simple.
 */
const longInteger = /\d{16}/;
const memberFraction = /":\s*-?\d+[.eE]/;
const elementFraction = /[[,]\s*-?\d+[.eE]|\s:/;
const surrogateEscape = /\\u[dD]/;

function hasMoreContainers(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let containers = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code === 123 || code === 91) && ++containers > limit) return true;
  }
  return false;
}

/**
 * Whether the platform's parser reads this JSON exactly as Go does. False may be a false alarm. More than `maxContainers` objects and
 * lists, which may be nested too deeply for Go, count as a difference.
 */
function agreesWithGo(text: string, maxContainers: number): boolean {
  return !(
    longInteger.test(text) ||
    memberFraction.test(text) ||
    elementFraction.test(text) ||
    (text.includes('\\u') && surrogateEscape.test(text)) ||
    hasMoreContainers(text, maxContainers)
  );
}

export { inDocumentOrder, JsonNumberError, JsonSyntaxError, maxLiteralPath };
export type { ParsedJson };

/** Reads a text that the platform's parser cannot read as Go does. */
function readText(input: Buffer | string, text: string, mostMembers = Infinity): ParsedJson {
  try {
    return readJson(text, mostMembers);
  } catch (error) {
    throw namingByte(error, input, text);
  }
}

/** Go's message names the invalid byte, even if the byte belongs to no valid character. */
function namingByte(error: unknown, input: Buffer | string, text: string): unknown {
  if (!(error instanceof JsonSyntaxError) || typeof input === 'string' || text[error.offset] !== '\ufffd') return error;
  let { message } = error;
  decodeBrokenUtf8(input, (byte, offset) => {
    if (offset === error.offset) message = message.replace(replacementByte, () => goQuoteByte(byte));
  });
  return new JsonSyntaxError(message, error.offset);
}
const replacementByte = goQuoteByte(0xef);

const toText = (input: Buffer | string) => {
  if (typeof input === 'string') return input;
  return isUtf8(input) ? input.toString('utf8') : decodeBrokenUtf8(input);
};

/** Texts with more objects and lists may be nested too deeply for the platform's recursive parser. */
const maxNativeContainers = 10_000;

/** The value that the platform's parser reads where it agrees with Go, else undefined. It makes `__proto__` an own property too. */
function parseNatively(text: string): { value: unknown } | undefined {
  if (!agreesWithGo(text, maxNativeContainers)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // The scan recognises a number by the character before it, which a bare number does not have.
    return typeof value === 'number' ? undefined : { value };
  } catch (error) {
    // Our own reader reports the error in Go's words.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Reads JSON from a client. int64 beyond 2^53 becomes bigint; other integers and floats are numbers as in an unstructured Go object. The
 * last value of a repeated key is kept, `__proto__` is an ordinary key, and invalid UTF-8 becomes U+FFFD. Throws JsonSyntaxError (Go's
 * message, also for nesting beyond 10,000) and JsonNumberError; RequestEntityTooLarge for a document of more than `mostMembers` members.
 */
export function parseJson(input: Buffer | string, mostMembers = Infinity): unknown {
  const text = toText(input);
  // A member takes at least two characters.
  const native = text.length <= 2 * mostMembers ? parseNatively(text) : undefined;
  if (native !== undefined) return native.value;
  const { value, numberError } = readText(input, text, mostMembers);
  if (numberError !== undefined) throw numberError;
  return value;
}

/** Deeper values are left to our own reader, which is not recursive. */
const maxCountedDepth = 500;

/** The number of keys at all depths; NaN for a value nested deeper than `maxCountedDepth`. */
function countKeys(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > maxCountedDepth) return NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += countKeys(element, depth + 1);
    return count;
  }
  const members = value as Record<string, unknown>;
  for (const key in members) count += 1 + countKeys(members[key], depth + 1);
  return count;
}

const keyEnd = /(?<!\\)"\s*:/g;

/** Every key is followed by a quote and a colon, so the text contains at least as many of these pairs as keys. */
const hasOnlyDistinctKeys = (text: string, value: unknown) =>
  !text.includes('\\\\"') && (text.match(keyEnd)?.length ?? 0) === countKeys(value);

/**
 * Like parseJson, but also reports what strict field validation needs: the paths of repeated keys (`duplicate field "metadata.labels.a"`),
 * and the facts that the value does not show. A number that does not fit float64 is reported, not thrown, because a decoder that knows the
 * field's type reports a different error.
 */
export function parseJsonStrict(input: Buffer | string): ParsedJson {
  const text = toText(input);
  const native = parseNatively(text);
  if (native !== undefined && hasOnlyDistinctKeys(text, native.value)) {
    return { value: native.value, duplicateFields: [], facts: undefined };
  }
  return readText(input, text);
}

/**
 * Like parseJsonStrict, for large documents: it yields to other work while it reads. A document of more than `mostMembers` members throws
 * RequestEntityTooLarge.
 */
export async function parseJsonInSlices(input: Buffer | string, mostMembers = Infinity): Promise<ParsedJson> {
  const text = toText(input);
  const reader = new JsonReader(text, { mostMembers });
  try {
    await inSlices(reader);
    return reader.result();
  } catch (error) {
    throw namingByte(error, input, text);
  }
}
