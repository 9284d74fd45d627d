import {
  inTurns,
  isStatusError,
  maxMembers,
  MemberSorter,
  parseJsonInSlices,
  parseYamlInSlices,
  stepping,
  type GroupVersionKind,
  type JsonValue,
  type ParsedJson,
  type ParsedYaml,
} from '@apichain/meta';
import type { SerializerName } from './media-types.ts';
import { hasProtobufMagic, type ProtobufCodec } from './protobuf.ts';

/**
 * Bodies that are larger are read in slices, and their members are counted (`maxMembers`); smaller ones at once, which costs less, and
 * they have no room for too many: a member of JSON takes two bytes, an item of a packed list of protobuf one. In bytes.
 */
const largeBodies: Readonly<Record<SerializerName, number>> = {
  json: 192 * 1024,
  yaml: 192 * 1024,
  protobuf: 96 * 1024,
  // Read at once, and counted while it is.
  cbor: Infinity,
};

const alias = '*'.charCodeAt(0);

/** A short text of YAML may stand for a long one: an alias is what it names, again. */
const isLarge = (body: Buffer, format: SerializerName): boolean =>
  body.length > largeBodies[format] || (format === 'yaml' && body.includes(alias));

/** What reading has come to. Whoever decodes what has been read may change it, so it is there for the first one only. */
class Outcome<Value> {
  #value: Value | undefined;
  readonly #error: Error | undefined;

  constructor(value: Value | undefined, error?: Error) {
    this.#value = value;
    this.#error = error;
  }

  /** Undefined from the second time on. Throws what reading has thrown. */
  take(): Value | undefined {
    if (this.#error !== undefined) throw this.#error;
    const value = this.#value;
    this.#value = undefined;
    return value;
  }
}

async function outcomeOf<Value>(reading: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return new Outcome(await reading);
  } catch (error) {
    // What is too large is refused before anybody asks what it is.
    if (isStatusError(error)) throw error;
    if (error instanceof Error) return new Outcome<Value>(undefined, error);
    throw error;
  }
}

/** A large body that has been read while other requests had their turns. */
export interface ReadAhead {
  readonly json?: Outcome<ParsedJson>;
  /** Members are in the order of their names, as in the JSON that Go makes of YAML. */
  readonly yaml?: Outcome<ParsedYaml>;
  readonly protobuf?: Outcome<JsonValue>;
}

async function sortedYaml(body: Buffer): Promise<ParsedYaml> {
  const { value, duplicateFields } = await parseYamlInSlices(body, maxMembers);
  const sorter = new MemberSorter(value);
  await inTurns(stepping(sorter));
  return { value: sorter.value, duplicateFields };
}

async function readMessage(
  body: Buffer,
  protobuf: ProtobufCodec | undefined,
  expected: GroupVersionKind | undefined,
): Promise<ReadAhead | undefined> {
  if (protobuf?.decodeInSteps === undefined || !hasProtobufMagic(body)) return undefined;
  const work = protobuf.decodeInSteps(body, expected);
  return { protobuf: await outcomeOf((async () => inTurns(work))()) };
}

/**
 * Reads a body that is too large to be read at once; undefined for one that is not. What is wrong with it shows when it is taken. `expected`
 * is what a protobuf envelope that names no kind holds. Throws RequestEntityTooLarge at once for a document of more members than one may have.
 */
export async function readAhead(
  body: Buffer,
  format: SerializerName,
  protobuf?: ProtobufCodec,
  expected?: GroupVersionKind,
): Promise<ReadAhead | undefined> {
  if (!isLarge(body, format)) return undefined;
  switch (format) {
    case 'json':
      return { json: await outcomeOf(parseJsonInSlices(body, maxMembers)) };
    case 'yaml':
      return { yaml: await outcomeOf(sortedYaml(body)) };
    case 'protobuf':
      return readMessage(body, protobuf, expected);
    case 'cbor':
      return undefined;
  }
}
