import { formatDuration, parseDuration } from '@apichain/go-text';
import { countMembers, isRecord, own, parseJson, parseQuantity, stringifyJson } from '@apichain/meta';
import { expectWireType, readFields } from './reader.ts';
import { int64Codec, type PlainObject, type ValueCodec } from './value-codecs.ts';
import { ProtobufError, wireBytes, wireVarint } from './wire.ts';
import type { Writer } from './writer.ts';

/** The seconds of Go's zero time, which means "not set". */
const zeroTimeSeconds = -62_135_596_800;
const secondsLength = '2006-01-02T15:04:05'.length;

interface Timestamp {
  seconds: number;
  nanos: number;
}

function parseTimestamp(text: string): Timestamp {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) throw new ProtobufError(`invalid time ${JSON.stringify(text)}`);
  const fraction = /^\.(\d+)/.exec(text.slice(secondsLength))?.[1] ?? '';
  return { seconds: Math.floor(milliseconds / 1000), nanos: Number(fraction.slice(0, 9).padEnd(9, '0')) };
}

function formatTimestamp({ seconds, nanos }: Timestamp, micro: boolean): string | null {
  if (seconds === zeroTimeSeconds && nanos === 0) return null;
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  if (Number.isNaN(year) || year < 0 || year > 9999) throw new ProtobufError('time: year outside of range [0,9999]');
  const whole = date.toISOString().slice(0, secondsLength);
  if (!micro) return `${whole}Z`;
  const micros = Math.floor(nanos / 1000);
  return `${whole}.${Math.min(Math.max(micros, 0), 999_999).toString().padStart(6, '0')}Z`;
}

function writeTimestamp(writer: Writer, value: unknown, micro: boolean): void {
  const mark = writer.position;
  if (typeof value === 'string' && value !== '') {
    const { seconds, nanos } = parseTimestamp(value);
    writer.varint(micro ? nanos - (nanos % 1000) : 0);
    writer.tag(2, wireVarint);
    writer.varint(seconds);
    writer.tag(1, wireVarint);
  }
  writer.lengthSince(mark);
}

const timestampCodec = (micro: boolean): ValueCodec => ({
  wireType: wireBytes,
  write: (writer, value) => writeTimestamp(writer, value, micro),
  read(reader, end) {
    const timestamp: Timestamp = { seconds: 0, nanos: 0 };
    let isSet = false;
    reader.message(end, (limit) => {
      isSet = reader.position < limit;
      readFields(reader, limit, (field, wireType, fieldEnd) => {
        if (field !== 1 && field !== 2) return false;
        expectWireType(wireType, wireVarint, field === 1 ? 'Seconds' : 'Nanos');
        timestamp[field === 1 ? 'seconds' : 'nanos'] = Number(reader.varint(fieldEnd));
        return true;
      });
    });
    return isSet ? formatTimestamp(timestamp, micro) : null;
  },
});

export const timeCodec = timestampCodec(false);
export const microTimeCodec = timestampCodec(true);

export const durationCodec: ValueCodec = {
  wireType: wireBytes,
  write(writer, value) {
    const mark = writer.position;
    writer.varint(typeof value === 'string' ? parseDuration(value) : 0);
    writer.tag(1, wireVarint);
    writer.lengthSince(mark);
  },
  read(reader, end) {
    let nanoseconds = 0n;
    reader.message(end, (limit) => {
      readFields(reader, limit, (field, wireType, fieldEnd) => {
        if (field !== 1) return false;
        expectWireType(wireType, wireVarint, 'Duration');
        nanoseconds = BigInt(reader.varint(fieldEnd));
        return true;
      });
    });
    return formatDuration(nanoseconds);
  },
};

export const quantityCodec: ValueCodec = {
  wireType: wireBytes,
  write(writer, value) {
    const mark = writer.position;
    writer.string(value === undefined || value === null ? '0' : quantityText(value));
    writer.tag(1, wireBytes);
    writer.lengthSince(mark);
  },
  read(reader, end) {
    let text = '0';
    reader.message(end, (limit) => {
      readFields(reader, limit, (field, wireType, fieldEnd) => {
        if (field !== 1) return false;
        expectWireType(wireType, wireBytes, 'String');
        text = parseQuantity(reader.string(fieldEnd)).toString();
        return true;
      });
    });
    return text;
  },
};

const quantityText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'bigint' ? value.toString() : '0';

export const intOrStringCodec: ValueCodec = {
  wireType: wireBytes,
  write(writer, value) {
    const mark = writer.position;
    writer.string(typeof value === 'string' ? value : '');
    writer.tag(3, wireBytes);
    int64Codec.write(writer, typeof value === 'string' ? 0 : value);
    writer.tag(2, wireVarint);
    writer.varint(typeof value === 'string' ? 1 : 0);
    writer.tag(1, wireVarint);
    writer.lengthSince(mark);
  },
  read(reader, end) {
    let isString = false;
    let number = 0;
    let string = '';
    reader.message(end, (limit) => {
      readFields(reader, limit, (field, wireType, fieldEnd) => {
        if (field < 1 || field > 3) return false;
        expectWireType(wireType, field === 3 ? wireBytes : wireVarint, ['', 'Type', 'IntVal', 'StrVal'][field] ?? '');
        if (field === 1) isString = Number(reader.varint(fieldEnd)) === 1;
        else if (field === 2) number = Number(BigInt.asIntN(32, BigInt(reader.varint(fieldEnd))));
        else string = reader.string(fieldEnd);
        return true;
      });
    });
    return isString ? string : number;
  },
};

/**
 * Reads the JSON value in `raw`: JSON text, or in a RawExtension an object with its own envelope. Throws RequestEntityTooLarge for a value
 * of more than `mostMembers` members.
 */
export type RawReader = (raw: Buffer, mostMembers: number) => unknown;

export function readJsonText(raw: Buffer, mostMembers = Infinity): unknown {
  return raw.length === 0 ? null : parseJson(raw, mostMembers);
}

/** A message whose first field contains JSON text. For null nothing is written. */
export const rawCodec = (readRaw: RawReader): ValueCodec => ({
  wireType: wireBytes,
  write(writer, value) {
    const mark = writer.position;
    if (value !== undefined && value !== null) {
      writer.string(stringifyJson(value));
      writer.tag(1, wireBytes);
    }
    writer.lengthSince(mark);
  },
  read(reader, end) {
    let raw: Buffer | undefined;
    reader.message(end, (limit) => {
      readFields(reader, limit, (field, wireType, fieldEnd) => {
        if (field !== 1) return false;
        expectWireType(wireType, wireBytes, 'Raw');
        raw = reader.bytes(fieldEnd);
        return true;
      });
    });
    if (raw === undefined) return null;
    const left = reader.membersLeft;
    const value = readRaw(raw, left);
    if (left !== Infinity) reader.countMembers(countMembers(value, left));
    return value;
  },
});

interface UnionField {
  readonly number: number;
  readonly codec: ValueCodec;
  readonly repeated?: boolean;
}

/** Reads fields of a small message by number; a repeated field gives an array. */
function readUnion(fields: readonly UnionField[]): ValueCodec['read'] {
  return (reader, end) => {
    const values: PlainObject = {};
    reader.message(end, (limit) => {
      readFields(reader, limit, (number, wireType, fieldEnd) => {
        const field = fields.find((known) => known.number === number);
        if (field === undefined) return false;
        expectWireType(wireType, field.codec.wireType, String(number));
        const previous = own(values, String(number));
        if (field.repeated === true) {
          const list: unknown[] = Array.isArray(previous) ? previous : [];
          list.push(field.codec.read(reader, fieldEnd, undefined));
          values[number] = list;
        } else {
          values[number] = field.codec.read(reader, fieldEnd, previous);
        }
        return true;
      });
    });
    return values;
  };
}

/** `JSONSchemaPropsOrBool`: a schema, or whether anything is allowed. */
export function schemaOrBoolCodec(schema: ValueCodec, boolean: ValueCodec): ValueCodec {
  const read = readUnion([
    { number: 1, codec: boolean },
    { number: 2, codec: schema },
  ]);
  return {
    wireType: wireBytes,
    write(writer, value) {
      const mark = writer.position;
      if (isRecord(value)) {
        schema.write(writer, value);
        writer.tag(2, wireBytes);
      }
      boolean.write(writer, value === true || isRecord(value));
      writer.tag(1, wireVarint);
      writer.lengthSince(mark);
    },
    read(reader, end, previous) {
      const values = read(reader, end, previous);
      return isRecord(values) ? (values[2] ?? values[1] === true) : false;
    },
  };
}

/** `JSONSchemaPropsOrArray` and `JSONSchemaPropsOrStringArray`: a schema, or a list of `item`. */
export function schemaOrListCodec(schema: ValueCodec, item: ValueCodec): ValueCodec {
  const read = readUnion([
    { number: 1, codec: schema },
    { number: 2, codec: item, repeated: true },
  ]);
  return {
    wireType: wireBytes,
    write(writer, value) {
      const mark = writer.position;
      if (Array.isArray(value)) {
        for (let i = value.length - 1; i >= 0; i--) {
          item.write(writer, value[i]);
          writer.tag(2, wireBytes);
        }
      } else if (isRecord(value)) {
        schema.write(writer, value);
        writer.tag(1, wireBytes);
      }
      writer.lengthSince(mark);
    },
    read(reader, end, previous) {
      const values = read(reader, end, previous);
      return isRecord(values) ? (values[2] ?? values[1] ?? null) : null;
    },
  };
}
