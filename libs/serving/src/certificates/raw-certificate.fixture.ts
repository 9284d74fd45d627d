import { sign, type KeyPairKeyObjectResult } from 'node:crypto';

/*
 * Certificates encoded by hand, for tests of encodings that @peculiar/x509 does not produce: it re-encodes text.
 */

/** One DER value: identifier, length, content. */
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
const integer = (byte: number): Der => value(0x02, Buffer.from([byte]));
const utcTime = (digits: string): Der => value(0x17, Buffer.from(digits));

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

const extension = (type: string, content: Der): Der => sequence(objectIdentifier(type), value(0x04, content));
/** The basic constraints of a CA. */
export const basicConstraints = extension('2.5.29.19', sequence(value(0x01, Buffer.from([0xff]))));
export const clientUsage = extension('2.5.29.37', sequence(objectIdentifier('1.3.6.1.5.5.7.3.2')));

/** A self-signed certificate for any subject, including subjects that no library would encode. */
export function rawCertificate(issuer: Der, subject: Der, extensions: Der, keys: KeyPairKeyObjectResult): Der {
  const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
  const version = value(0xa0, integer(2));
  const validity = sequence(utcTime('700101000000Z'), utcTime('491231235959Z'));
  const spki = keys.publicKey.export({ format: 'der', type: 'spki' });
  const last = value(0xa3, sequence(extensions));
  const content = sequence(version, integer(1), algorithm, issuer, validity, subject, spki, last);
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, keys.privateKey)]);
  return sequence(content, algorithm, value(0x03, signature));
}
