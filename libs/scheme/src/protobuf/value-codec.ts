import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/**
 * How one value travels. `write` writes what stands after the tag, length included, and takes undefined and null for the
 * zero value; `read` is its inverse. `previous` is what an earlier record of the same field gave: messages merge into it.
 */
export interface ValueCodec {
  readonly wireType: number;
  write(writer: Writer, value: unknown): void;
  read(reader: Reader, end: number, previous: unknown): unknown;
}

export interface PlainObject {
  [key: string]: unknown;
}
