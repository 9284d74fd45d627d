import type { Reader } from './reader.ts';
import { ProtobufError } from './wire.ts';

/** Reads the value of one field; false = the field is not known and is to be skipped. */
export type FieldReader = (field: number, wireType: number, end: number) => boolean;

/** Reads fields until `end`; unknown ones are passed over. Throws ProtobufError. */
export function readFields(reader: Reader, end: number, read: FieldReader): void {
  while (reader.position < end) {
    const tag = reader.tag(end);
    const wireType = tag % 8;
    const field = (tag - wireType) / 8;
    if (wireType === 4) throw new ProtobufError('proto: wiretype end group for non-group');
    if (field === 0) throw new ProtobufError(`proto: illegal tag ${field} (wire type ${wireType})`);
    if (!read(field, wireType, end)) reader.skip(wireType, end);
  }
}

export function expectWireType(actual: number, expected: number, field: string): void {
  if (actual !== expected) throw new ProtobufError(`proto: wrong wireType = ${actual} for field ${field}`);
}
