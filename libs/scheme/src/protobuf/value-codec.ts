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

export const isPlainObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets an own property whatever its name is. */
export function setOwn(object: PlainObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

export const own = (object: PlainObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;
