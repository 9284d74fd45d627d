import type { Reader } from './reader.ts';
import { ProtobufError, wireEndGroup } from './wire.ts';

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
