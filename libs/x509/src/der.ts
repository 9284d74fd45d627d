/*
 * DER (ITU-T X.690), as strict as Go's cryptobyte package: lengths are minimal and definite, and tags are below 31.
 */

/** The bytes are not what is expected at this place. The texts are few: they contain nothing of the bytes. */
export class DerError extends Error {}

/** One value: its tag, its content, and its bytes with tag and length. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  readonly element: Buffer;
}

/** The tags of the types that certificates use. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
} as const;

/** A context-specific tag of a value that contains other values, e.g. `[0]`. */
export const constructed = (number: number): number => 0xa0 | number;
/** A context-specific tag of a value without further structure. */
export const primitive = (number: number): number => 0x80 | number;

/** Reads the values in some bytes one after the other. Its methods throw DerError. */
export class DerReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Whether the next value has the tag. */
  nextIs(tag: number): boolean {
    return this.#bytes[this.#at] === tag;
  }

  any(): DerValue {
    const start = this.#at;
    const tag = this.#byte();
    if ((tag & 0x1f) === 0x1f) throw new DerError('a tag above 30');
    const length = this.#length();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new DerError('a value is cut off');
    const content = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return { tag, content, element: this.#bytes.subarray(start, end) };
  }

  value(tag: number): DerValue {
    const value = this.any();
    if (value.tag !== tag) throw new DerError('an unexpected type');
    return value;
  }

  /** A reader of the content of the next value, which has the tag. */
  inner(tag: number): DerReader {
    return new DerReader(this.value(tag).content);
  }

  /** Undefined when the next value has another tag. */
  optional(tag: number): DerValue | undefined {
    return this.nextIs(tag) ? this.value(tag) : undefined;
  }

  objectIdentifier(): string {
    return objectIdentifierOf(this.value(tags.objectIdentifier).content);
  }

  boolean(): boolean {
    const { content } = this.value(tags.boolean);
    if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw new DerError('an invalid boolean');
    return content[0] === 0xff;
  }

  /** The bytes of a bit string whose bits fill whole bytes when they are padded on the right, as all are here that matter. */
  bits(): Buffer {
    const { content } = this.value(tags.bitString);
    const [unused = 8] = content;
    if (unused > 7 || (content.length === 1 && unused !== 0)) throw new DerError('an invalid bit string');
    if (content.length > 1 && ((content.at(-1) ?? 0) & ((1 << unused) - 1)) !== 0)
      throw new DerError('an invalid bit string');
    return content.subarray(1);
  }

  /** Throws DerError unless all values have been read. */
  end(): void {
    if (!this.isAtEnd) throw new DerError('trailing data');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new DerError('a value is cut off');
    return byte;
  }

  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw new DerError('an invalid length');
    let length = 0;
    for (let i = 0; i < count; i++) length = length * 0x100 + this.#byte();
    if (length < 0x80 || length < 0x100 ** (count - 1)) throw new DerError('a length is not minimal');
    return length;
  }
}

/** The content of an integer, which must be minimal: two's complement, most significant byte first. */
export function integerBytes({ content }: DerValue): Buffer {
  const [first, second = 0] = content;
  if (first === undefined) throw new DerError('an empty integer');
  const isPadded = content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  if (isPadded) throw new DerError('an integer is not minimal');
  return content;
}

/** An integer from 0 to 2^53-1. */
export function smallInteger(value: DerValue): number {
  const bytes = integerBytes(value);
  if ((bytes[0] ?? 0) >= 0x80) throw new DerError('a negative integer');
  const number = bytes.reduce((sum, byte) => sum * 0x100 + byte, 0);
  if (!Number.isSafeInteger(number)) throw new DerError('an integer is too large');
  return number;
}

const maxArc = 2 ** 31;

/** In dotted notation. As in Go, numbers of 2^31 and more are refused. */
function objectIdentifierOf(content: Buffer): string {
  const numbers: number[] = [];
  let number = 0;
  let isWhole = true;
  for (const byte of content) {
    if (isWhole && byte === 0x80) throw new DerError('a number of an object identifier is not minimal');
    number = number * 0x80 + (byte & 0x7f);
    if (number >= maxArc) throw new DerError('a number of an object identifier is too large');
    isWhole = byte < 0x80;
    if (!isWhole) continue;
    if (numbers.length === 0) {
      const first = Math.min(Math.floor(number / 40), 2);
      numbers.push(first, number - first * 40);
    } else numbers.push(number);
    number = 0;
  }
  if (!isWhole || numbers.length === 0) throw new DerError('an invalid object identifier');
  return numbers.join('.');
}

const utcDigits = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:Z|([+-])(\d\d)(\d\d))$/;
const generalizedDigits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:Z|([+-])(\d\d)(\d\d))$/;

/** A UTCTime or GeneralizedTime in milliseconds since the epoch. */
export function timeOf({ tag, content }: DerValue): number {
  const isUtc = tag === tags.utcTime;
  if (!isUtc && tag !== tags.generalizedTime) throw new DerError('an unsupported form of time');
  const match = (isUtc ? utcDigits : generalizedDigits).exec(content.toString('latin1'));
  if (match === null) throw new DerError('an invalid time');
  const [written = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const year = !isUtc ? written : written < 50 ? 2000 + written : 1900 + written;
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  time.setUTCHours(hour, minute, second);
  const isReal = time.getUTCMonth() === month - 1 && time.getUTCDate() === day && hour < 24 && minute < 60;
  if (!isReal || second > 59) throw new DerError('an invalid time');
  const offset = (Number(match[8] ?? 0) * 60 + Number(match[9] ?? 0)) * 60_000;
  // Go reads a time only in the form in which it would write it: with Z instead of an offset of zero.
  if (match[7] !== undefined && offset === 0) throw new DerError('an invalid time');
  return time.getTime() + (match[7] === '-' ? offset : -offset);
}
