/*
 * DER as its writer wants it, also what no library would write.
 */

/** One DER value: identifier, length, content. */
export type Der = Buffer;

/** A value with any tag. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Der {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf(content: Buffer): Buffer {
  if (content.length < 0x80) return Buffer.from([content.length]);
  const bytes = bigEndian(content.length);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function bigEndian(number: number): number[] {
  const bytes: number[] = [];
  for (let rest = number; rest > 0; rest = Math.floor(rest / 0x100)) bytes.unshift(rest % 0x100);
  return bytes;
}

export const sequence = (...members: readonly Der[]): Der => der(0x30, ...members);
export const set = (...members: readonly Der[]): Der => der(0x31, ...members);
export const integer = (...bytes: readonly number[]): Der => der(0x02, Buffer.from(bytes));
export const boolean = (value: boolean): Der => der(0x01, Buffer.from([value ? 0xff : 0]));
export const octets = (content: Uint8Array): Der => der(0x04, content);
export const bitString = (bytes: Uint8Array, unused = 0): Der => der(0x03, Buffer.from([unused]), bytes);

/** `dotted` as in `2.5.29.17`. */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const bytes = [number % 0x80];
  for (let rest = Math.floor(number / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) {
    bytes.unshift(0x80 | (rest % 0x80));
  }
  return bytes;
}

/** A time in GeneralizedTime, which certificates may have for every year. */
export const time = (milliseconds: number): Der =>
  der(0x18, Buffer.from(`${new Date(milliseconds).toISOString().replace(/[-:T]|\..*/g, '')}Z`));
