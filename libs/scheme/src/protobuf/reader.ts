import { newTooManyMembers } from '@apichain/meta';
import {
  maxMessageDepth,
  ProtobufError,
  wireBytes,
  wireEndGroup,
  wireFixed32,
  wireFixed64,
  wireStartGroup,
  wireVarint,
} from './wire.ts';

const unexpectedEnd = 'unexpected EOF';

/**
 * Reads a message from beginning to end. Every length is checked against the remaining input before memory is allocated for it. Throws
 * ProtobufError with the messages of Go's generated decoders.
 */
export class Reader {
  readonly #bytes: Buffer;
  #position = 0;
  #depth = 0;
  #membersLeft: number;

  /** A message of more than `mostMembers` members is refused. */
  constructor(bytes: Buffer, mostMembers = Infinity) {
    this.#bytes = bytes;
    this.#membersLeft = mostMembers;
  }

  get position(): number {
    return this.#position;
  }
  get length(): number {
    return this.#bytes.length;
  }

  /** How many more members are allowed; Infinity without a limit. */
  get membersLeft(): number {
    return this.#membersLeft;
  }

  /** Must be called for everything that becomes a member of an object or list. Throws RequestEntityTooLarge. */
  countMembers(members = 1): void {
    this.#membersLeft -= members;
    if (this.#membersLeft < 0) throw newTooManyMembers();
  }

  #byte(end: number): number {
    const byte = this.#position < end ? this.#bytes[this.#position] : undefined;
    if (byte === undefined) throw new ProtobufError(unexpectedEnd);
    this.#position++;
    return byte;
  }

  /** An unsigned number that a double represents exactly: tags and lengths. */
  #smallVarint(end: number): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 10; i++) {
      const byte = this.#byte(end);
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) throw new ProtobufError('proto: integer overflow');
        return value;
      }
      scale *= 128;
    }
    throw new ProtobufError('proto: integer overflow');
  }

  /** A signed 64-bit number; a bigint beyond 2^53. */
  varint(end: number): number | bigint {
    const start = this.#position;
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 7; i++) {
      const byte = this.#byte(end);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    this.#position = start;
    return this.#bigVarint(end);
  }

  #bigVarint(end: number): number | bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte(end);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return asNumber(BigInt.asIntN(64, value));
    }
    throw new ProtobufError('proto: integer overflow');
  }

  /** Field number and wire type of the next field. */
  tag(end: number): number {
    const tag = this.#smallVarint(end);
    if (tag >= 2 ** 32) throw new ProtobufError('proto: integer overflow');
    return tag;
  }

  /** The end of the length-delimited value that starts at the current position. */
  limit(end: number): number {
    const size = this.varint(end);
    if (size < 0) throw new ProtobufError('proto: negative length found during unmarshaling');
    const limit = this.#position + Number(size);
    if (limit > end) throw new ProtobufError(unexpectedEnd);
    return limit;
  }

  double(end: number): number {
    if (this.#position + 8 > end) throw new ProtobufError(unexpectedEnd);
    const value = this.#bytes.readDoubleLE(this.#position);
    this.#position += 8;
    return value;
  }

  /** A string. Invalid UTF-8 becomes U+FFFD, as when Go writes such a string as JSON. */
  string(end: number): string {
    const limit = this.limit(end);
    const text = this.#bytes.toString('utf8', this.#position, limit);
    this.#position = limit;
    return text;
  }

  /** A view of the bytes, not a copy. */
  bytes(end: number): Buffer {
    const limit = this.limit(end);
    const bytes = this.#bytes.subarray(this.#position, limit);
    this.#position = limit;
    return bytes;
  }

  /** Runs `read` for a nested message. It receives the end of the message and must stop there. */
  message(end: number, read: (end: number) => void): void {
    const limit = this.limit(end);
    if (++this.#depth > maxMessageDepth) throw new ProtobufError('proto: exceeded max nesting depth');
    read(limit);
    this.#depth--;
  }

  /** Skips an unknown field with all its content. */
  skip(wireType: number, end: number): void {
    let groups = 0;
    let type = wireType;
    for (;;) {
      if (type === wireStartGroup) groups++;
      else if (type === wireEndGroup) {
        if (groups === 0) throw new ProtobufError('proto: unexpected end of group');
        groups--;
      } else this.#skipValue(type, end);
      if (groups === 0) return;
      type = this.tag(end) % 8;
    }
  }

  #skipValue(wireType: number, end: number): void {
    switch (wireType) {
      case wireVarint:
        this.varint(end);
        return;
      case wireBytes:
        this.#position = this.limit(end);
        return;
      case wireFixed64:
      case wireFixed32: {
        const next = this.#position + (wireType === wireFixed64 ? 8 : 4);
        if (next > end) throw new ProtobufError(unexpectedEnd);
        this.#position = next;
        return;
      }
      default:
        throw new ProtobufError(`proto: illegal wireType ${wireType}`);
    }
  }
}

const asNumber = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;

/** Reads the value of one field. Returns false for an unknown field, which is then skipped. */
export type FieldReader = (field: number, wireType: number, end: number) => boolean;

/** Reads fields until `end`; unknown ones are skipped. Throws ProtobufError, with the name of the message if it has one. */
export function readFields(reader: Reader, end: number, read: FieldReader, messageName?: string): void {
  while (reader.position < end) {
    const tag = readTag(reader, end, messageName);
    const wireType = tag % 8;
    if (!read((tag - wireType) / 8, wireType, end)) reader.skip(wireType, end);
  }
}

/** The tag of the next field: its number times eight, plus its wire type. Throws ProtobufError for an invalid tag. */
export function readTag(reader: Reader, end: number, messageName: string | undefined): number {
  const tag = reader.tag(end);
  if (tag % 8 === wireEndGroup) throw new ProtobufError(`${of(messageName)} wiretype end group for non-group`);
  if (tag < 8) throw new ProtobufError(`${of(messageName)} illegal tag 0 (wire type ${tag % 8})`);
  return tag;
}

const of = (messageName: string | undefined): string =>
  messageName === undefined ? 'proto:' : `proto: ${messageName}:`;

/** `field` is the field's name in JSON, or in Go, where it begins with a capital letter. */
export function expectWireType(actual: number, expected: number, field: string): void {
  if (actual === expected) return;
  const goName = field.charAt(0).toUpperCase() + field.slice(1);
  throw new ProtobufError(`proto: wrong wireType = ${actual} for field ${goName}`);
}
