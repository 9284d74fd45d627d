import type { Reader } from './reader.ts';
import { ProtobufError, wireEndGroup } from './wire.ts';

/** Reads the value of one field; false = the field is not known and is to be skipped. */
export type FieldReader = (field: number, wireType: number, end: number) => boolean;

/** Reads fields until `end`; unknown ones are passed over. Throws ProtobufError, with the name of the message where there is one. */
export function readFields(reader: Reader, end: number, read: FieldReader, messageName?: string): void {
  while (reader.position < end) {
    const tag = readTag(reader, end, messageName);
    const wireType = tag % 8;
    if (!read((tag - wireType) / 8, wireType, end)) reader.skip(wireType, end);
  }
}

/** The tag of the next field: its number times eight, and its wire type. Throws ProtobufError for one that no field has. */
export function readTag(reader: Reader, end: number, messageName: string | undefined): number {
  const tag = reader.tag(end);
  if (tag % 8 === wireEndGroup) throw new ProtobufError(`${of(messageName)} wiretype end group for non-group`);
  if (tag < 8) throw new ProtobufError(`${of(messageName)} illegal tag 0 (wire type ${tag % 8})`);
  return tag;
}

const of = (messageName: string | undefined): string =>
  messageName === undefined ? 'proto:' : `proto: ${messageName}:`;

/** `field` is its name in JSON, or in Go, which begins with a capital. */
export function expectWireType(actual: number, expected: number, field: string): void {
  if (actual === expected) return;
  const goName = field.charAt(0).toUpperCase() + field.slice(1);
  throw new ProtobufError(`proto: wrong wireType = ${actual} for field ${goName}`);
}
