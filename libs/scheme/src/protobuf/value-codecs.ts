import type { Reader } from './reader.ts';
import { wireBytes, wireFixed64, wireVarint } from './wire.ts';
import type { Writer } from './writer.ts';

/**
 * Encodes and decodes one value. `write` writes the part after the tag, including the length; undefined and null stand for the zero value.
 * `read` is its inverse. `previous` is the value of an earlier record of the same field, into which messages are merged.
 */
export interface ValueCodec {
  readonly wireType: number;
  write(writer: Writer, value: unknown): void;
  read(reader: Reader, end: number, previous: unknown): unknown;
}

export interface PlainObject {
  [key: string]: unknown;
}

const isInteger = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

export const stringCodec: ValueCodec = {
  wireType: wireBytes,
  write: (writer, value) => writer.string(typeof value === 'string' ? value : ''),
  read: (reader, end) => reader.string(end),
};

export const int64Codec: ValueCodec = {
  wireType: wireVarint,
  write: (writer, value) => writer.varint(isInteger(value) ? value : 0),
  read: (reader, end) => reader.varint(end),
};

export const int32Codec: ValueCodec = {
  wireType: wireVarint,
  write: (writer, value) => int64Codec.write(writer, value),
  read: (reader, end) => Number(BigInt.asIntN(32, BigInt(reader.varint(end)))),
};

export const doubleCodec: ValueCodec = {
  wireType: wireFixed64,
  write: (writer, value) => writer.double(typeof value === 'number' ? value : 0),
  read: (reader, end) => reader.double(end),
};

export const booleanCodec: ValueCodec = {
  wireType: wireVarint,
  write: (writer, value) => writer.varint(value === true ? 1 : 0),
  read: (reader, end) => reader.varint(end) !== 0,
};

/** base64 text in JSON. */
export const bytesCodec: ValueCodec = {
  wireType: wireBytes,
  write: (writer, value) => writer.base64(typeof value === 'string' ? value : ''),
  read: (reader, end) => reader.bytes(end).toString('base64'),
};
