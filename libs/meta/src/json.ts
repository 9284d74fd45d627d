import { isUtf8 } from 'node:buffer';
import { goQuoteByte } from '@apichain/go-text';
import { decodeBrokenUtf8 } from '@apichain/go-text';
import { inDocumentOrder } from './json-reader/document-order.ts';
import { JsonNumberError, JsonSyntaxError } from './json-reader/json-error.ts';
import { maxLiteralPath } from './json-reader/numbers.ts';
import { JsonReader, readJson, type ParsedJson } from './json-reader/reader.ts';
import { agreesWithGo } from './json-scan.ts';
import { inTurns, stepping } from './turns.ts';

export { inDocumentOrder, JsonNumberError, JsonSyntaxError, maxLiteralPath };
export type { ParsedJson };

/** Reads what the platform's parser does not. */
function readText(input: Buffer | string, text: string, mostMembers = Infinity): ParsedJson {
  try {
    return readJson(text, mostMembers);
  } catch (error) {
    throw namingByte(error, input, text);
  }
}

/** Go names the byte that it cannot take, also one that is part of no character. */
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

/** More objects and lists may be nested too deeply for the platform's parser, which calls itself. */
const maxNativeContainers = 10_000;

/** The platform's parser where it agrees with Go, else undefined. It makes `__proto__` an own property too. */
function parseNatively(text: string): { value: unknown } | undefined {
  if (!agreesWithGo(text, maxNativeContainers)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // A bare number has nothing before it that the scan could recognise it by.
    return typeof value === 'number' ? undefined : { value };
  } catch (error) {
    // Our own reader words what is wrong.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * JSON from a client. int64 beyond 2^53 becomes bigint, other integers and floats are numbers as in an unstructured Go
 * object; of a repeated key the last one stays; `__proto__` is a key like any other; broken UTF-8 becomes U+FFFD.
 * Throws JsonSyntaxError (Go's wording, nesting beyond 10,000 included) and JsonNumberError; RequestEntityTooLarge for a document of more
 * members than `mostMembers`.
 */
export function parseJson(input: Buffer | string, mostMembers = Infinity): unknown {
  const text = toText(input);
  // Two characters make a member at least.
  const native = text.length <= 2 * mostMembers ? parseNatively(text) : undefined;
  if (native !== undefined) return native.value;
  const { value, numberError } = readText(input, text, mostMembers);
  if (numberError !== undefined) throw numberError;
  return value;
}

/** Deeper values are left to our own reader, which does not call itself. */
const maxCountedDepth = 500;

/** NaN for a value that is nested more deeply than that. */
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

/** A quote and a colon stand behind every key, so the text cannot show fewer than there are keys. */
const hasOnlyDistinctKeys = (text: string, value: unknown) =>
  !text.includes('\\\\"') && (text.match(keyEnd)?.length ?? 0) === countKeys(value);

/**
 * As parseJson, and reports what strict field validation wants to know: the paths of repeated keys
 * (`duplicate field "metadata.labels.a"`), and the facts that the value does not show. A number that fits no
 * float64 is reported, not thrown: to a decoder that knows the field's type it is wrong in another way.
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
 * As parseJsonStrict for large documents: other work has its turn while this one is read. A document of more members than `mostMembers` is
 * RequestEntityTooLarge.
 */
export async function parseJsonInSlices(input: Buffer | string, mostMembers = Infinity): Promise<ParsedJson> {
  const text = toText(input);
  const reader = new JsonReader(text, { mostMembers });
  try {
    await inTurns(stepping(reader));
    return reader.result();
  } catch (error) {
    throw namingByte(error, input, text);
  }
}
