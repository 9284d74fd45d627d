import type { Work } from '@apichain/meta';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/**
 * Encodes and decodes one value. `write` writes the part after the tag, including the length; undefined and null stand for the zero value.
 * `read` is its inverse. `previous` is the value of an earlier record of the same field, into which messages are merged.
 */
export interface ValueCodec {
  readonly wireType: number;
  write(writer: Writer, value: unknown): void;
  /** `write` in steps, if values may be large. */
  readonly writing?: (writer: Writer, value: unknown) => Work<void>;
  read(reader: Reader, end: number, previous: unknown): unknown;
}

export interface PlainObject {
  [key: string]: unknown;
}
