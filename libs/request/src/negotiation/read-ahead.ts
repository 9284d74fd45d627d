import {
  isStatusError,
  maxMembers,
  parseJsonInSlices,
  parseYamlInSlices,
  pause,
  sortMembers,
  type GroupVersionKind,
  type JsonValue,
  type ParsedJson,
  type ParsedYaml,
} from '@apichain/meta';
import { takePlace } from '../large-work.ts';
import type { SerializerName } from './media-types.ts';
import { hasProtobufMagic, type ProtobufCodec } from './protobuf.ts';

/**
 * Size limits in bytes. Larger bodies are read in slices, and their members are counted (`maxMembers`). Smaller bodies are read at once, which
 * costs less. They cannot contain too many members: a member of JSON takes two bytes, an item of a packed list of protobuf one.
 */
const largeBodies: Readonly<Record<SerializerName, number>> = {
  json: 192 * 1024,
  yaml: 192 * 1024,
  protobuf: 96 * 1024,
  // Read at once; members are counted meanwhile.
  cbor: Infinity,
};

const alias = '*'.charCodeAt(0);

/** A short YAML text may expand to a long one, because an alias repeats what it names. */
const isLarge = (body: Buffer, format: SerializerName): boolean =>
  body.length > largeBodies[format] || (format === 'yaml' && body.includes(alias));

/** CBOR is read at once, but what comes after it is as much work as for other bodies. */
const largeCbor = 96 * 1024;
/** What a short YAML text with aliases counts as: it may expand to a long one. */
const expandedBytes = 1024 * 1024;

/** The bytes that a body counts as among the large requests of its user; 0 for a small one. */
function weightOf(body: Buffer, format: SerializerName): number {
  if (format === 'cbor') return body.length > largeCbor ? body.length : 0;
  if (!isLarge(body, format)) return 0;
  return body.length > largeBodies[format] ? body.length : expandedBytes;
}

/** The result of reading. The first caller that decodes the value may change it, so only that caller gets it. */
class Outcome<Value> {
  #value: Value | undefined;
  readonly #error: Error | undefined;

  constructor(value: Value | undefined, error?: Error) {
    this.#value = value;
    this.#error = error;
  }

  /** The value; undefined from the second call on. Throws the error of reading. */
  take(): Value | undefined {
    if (this.#error !== undefined) throw this.#error;
    const value = this.#value;
    this.#value = undefined;
    return value;
  }
}

async function outcomeOf<Value>(read: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return new Outcome(await read());
  } catch (error) {
    // A body that is too large is refused before its kind is examined.
    if (isStatusError(error)) throw error;
    if (error instanceof Error) return new Outcome<Value>(undefined, error);
    throw error;
  }
}

/** A large body that was read in slices, while other requests were served. */
export interface ReadAhead {
  readonly json?: Outcome<ParsedJson>;
  /** Members are sorted by name, as in the JSON that Go creates from YAML. */
  readonly yaml?: Outcome<ParsedYaml>;
  readonly protobuf?: Outcome<JsonValue>;
}

async function sortedYaml(body: Buffer): Promise<ParsedYaml> {
  const { value, duplicateFields } = await parseYamlInSlices(body, maxMembers);
  await pause();
  return { value: sortMembers(value), duplicateFields };
}

async function readMessage(
  body: Buffer,
  protobuf: ProtobufCodec | undefined,
  expected: GroupVersionKind | undefined,
): Promise<ReadAhead | undefined> {
  if (protobuf === undefined || !hasProtobufMagic(body)) return undefined;
  await pause();
  return { protobuf: await outcomeOf(() => protobuf.decode(body, expected, maxMembers)) };
}

/**
 * Reads a body that is too large to be read at once; undefined for a smaller one. Waits in line if its user has many large requests in work. Syntax errors are thrown when the result is taken. `expected` is
 * the kind of a protobuf envelope that names none. Throws RequestEntityTooLarge at once for a document with more members than allowed.
 */
export async function readAhead(
  body: Buffer,
  format: SerializerName,
  protobuf?: ProtobufCodec,
  expected?: GroupVersionKind,
): Promise<ReadAhead | undefined> {
  const weight = weightOf(body, format);
  if (weight === 0) return undefined;
  const line = takePlace(weight);
  if (line !== undefined) await line;
  switch (format) {
    case 'json':
      return { json: await outcomeOf(() => parseJsonInSlices(body, maxMembers)) };
    case 'yaml':
      return { yaml: await outcomeOf(() => sortedYaml(body)) };
    case 'protobuf':
      return readMessage(body, protobuf, expected);
    case 'cbor':
      return undefined;
  }
}
