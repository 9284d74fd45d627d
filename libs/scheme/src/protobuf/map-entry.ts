import { setOwn } from '@apichain/meta';
import { expectWireType, readFields, type Reader } from './reader.ts';
import {
  booleanCodec,
  bytesCodec,
  doubleCodec,
  int32Codec,
  int64Codec,
  stringCodec,
  type PlainObject,
  type ValueCodec,
} from './value-codecs.ts';
import { microTimeCodec, quantityCodec, timeCodec } from './special-codecs.ts';
import { wireBytes } from './wire.ts';
import type { Writer } from './writer.ts';

/** One entry of a map: a message of a key and a value. */
interface MapEntryCodec {
  write(writer: Writer, key: string, value: unknown): void;
  read(reader: Reader, end: number, map: PlainObject): void;
}

function zeroOf(codec: ValueCodec): unknown {
  if (codec === stringCodec || codec === bytesCodec) return '';
  if (codec === booleanCodec) return false;
  if (codec === int32Codec || codec === int64Codec || codec === doubleCodec) return 0;
  if (codec === timeCodec || codec === microTimeCodec) return null;
  return codec === quantityCodec ? '0' : {};
}

function writeKey(writer: Writer, mark: number, key: string, valueType: number): void {
  writer.tag(2, valueType);
  writer.string(key);
  writer.tag(1, wireBytes);
  writer.lengthSince(mark);
}

/** The codec of the entries of a map with values of a codec. */
export const mapEntryCodec = (value: ValueCodec): MapEntryCodec => ({
  write(writer, key, entry) {
    const mark = writer.position;
    value.write(writer, entry);
    writeKey(writer, mark, key, value.wireType);
  },
  read(reader, end, map) {
    let key = '';
    let entry: unknown;
    reader.message(end, (limit) => {
      readFields(reader, limit, (field, wireType, fieldEnd) => {
        if (field !== 1 && field !== 2) return false;
        expectWireType(wireType, field === 1 ? wireBytes : value.wireType, field === 1 ? 'Key' : 'Value');
        if (field === 1) key = reader.string(fieldEnd);
        else entry = value.read(reader, fieldEnd, undefined);
        return true;
      });
    });
    reader.countMembers();
    setOwn(map, key, entry === undefined ? zeroOf(value) : entry);
  },
});
