/*
 * Values in the distinguished encoding rules of ASN.1 (ITU-T X.690): what certificates are made of.
 */

/** One value: identifier, length, content. */
export type Der = Buffer;

const sequenceTag = 0x30;

function value(tag: number, ...contents: readonly Uint8Array[]): Der {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf(content: Buffer): Buffer {
  if (content.length < 0x80) return Buffer.from([content.length]);
  const bytes = bigEndian(content.length);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function bigEndian(number: number): number[] {
  const bytes = [];
  for (let rest = number; rest > 0; rest = Math.floor(rest / 0x100)) bytes.unshift(rest % 0x100);
  return bytes;
}

export const sequence = (...members: readonly Der[]): Der => value(sequenceTag, ...members);
export const set = (member: Der): Der => value(0x31, member);
export const octetString = (bytes: Uint8Array): Der => value(0x04, bytes);
export const utf8String = (text: string): Der => value(0x0c, Buffer.from(text));
export const boolean = (truth: boolean): Der => value(0x01, Buffer.from([truth ? 0xff : 0]));
/** A number that is not negative, most significant byte first. */
export const integer = (bytes: Uint8Array): Der =>
  (bytes[0] ?? 0) < 0x80 ? value(0x02, bytes) : value(0x02, Buffer.from([0]), bytes);
/** The last `unusedBits` of the bytes do not count. */
export const bitString = (bytes: Uint8Array, unusedBits = 0): Der => value(0x03, Buffer.from([unusedBits]), bytes);
/** `[number]` around values. */
export const explicit = (number: number, member: Der): Der => value(0xa0 | number, member);
/** `[number]` in the place of the tag of a primitive value. */
export const implicit = (number: number, content: Uint8Array): Der => value(0x80 | number, content);

/** `dotted` as in `2.5.29.17`. */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const bytes = [number % 0x80];
  for (let rest = Math.floor(number / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) {
    bytes.unshift(0x80 | (rest % 0x80));
  }
  return bytes;
}

/** To the second; RFC 5280, section 4.1.2.5 says which of the two forms a year has. */
export function time(date: Date): Der {
  const digits = `${date.toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`;
  return date.getUTCFullYear() < 2050 ? value(0x17, Buffer.from(digits.slice(2))) : value(0x18, Buffer.from(digits));
}

/** What a value holds, without identifier and length. */
export const contentOf = (outer: Der): Buffer => outer.subarray(contentStart(outer, 0));

/** The values inside a value. */
export function membersOf(outer: Der): Der[] {
  const members = [];
  for (let at = contentStart(outer, 0); at < outer.length;) {
    const end = endOf(outer, at);
    members.push(outer.subarray(at, end));
    at = end;
  }
  return members;
}

function contentStart(bytes: Buffer, at: number): number {
  const first = bytes.readUInt8(at + 1);
  return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
}

function endOf(bytes: Buffer, at: number): number {
  const start = contentStart(bytes, at);
  const extra = start - at - 2;
  return start + (extra === 0 ? bytes.readUInt8(at + 1) : bytes.readUIntBE(at + 2, extra));
}
