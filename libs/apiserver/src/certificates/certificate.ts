import { createHash, sign, type KeyObject } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import {
  bitString,
  boolean,
  contentOf,
  explicit,
  implicit,
  integer,
  membersOf,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
  type Der,
} from './der.ts';

/*
 * X.509 certificates, version 3: https://www.rfc-editor.org/rfc/rfc5280, section 4.
 */

export interface CertificateContent {
  /** A positive number, most significant byte first. */
  readonly serialNumber: Uint8Array;
  readonly issuer: Der;
  readonly subject: Der;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Der[];
}

/** Signs with the issuer's key; throws Error when that is neither an elliptic curve key nor an RSA key. */
export function signCertificate(content: CertificateContent, issuerKey: KeyObject): Der {
  const algorithm = signatureAlgorithm(issuerKey);
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(content.serialNumber),
    algorithm,
    content.issuer,
    sequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    publicKeyInfo(content.publicKey),
    explicit(3, sequence(...content.extensions)),
  );
  return sequence(toBeSigned, algorithm, bitString(sign('sha256', toBeSigned, issuerKey)));
}

function signatureAlgorithm(key: KeyObject): Der {
  switch (key.asymmetricKeyType) {
    case 'ec':
      return sequence(objectIdentifier('1.2.840.10045.4.3.2'));
    case 'rsa':
      return sequence(objectIdentifier('1.2.840.113549.1.1.11'), Buffer.from([0x05, 0x00]));
    default:
      throw new Error(`certificates cannot be signed with a key of type ${key.asymmetricKeyType ?? 'unknown'}`);
  }
}

const publicKeyInfo = (key: KeyObject): Der => key.export({ format: 'der', type: 'spki' });

const attributeTypes = { CN: '2.5.4.3', O: '2.5.4.10' } as const;

/** A distinguished name, its attributes in order. */
export function distinguishedName(attributes: readonly (readonly [keyof typeof attributeTypes, string])[]): Der {
  return sequence(
    ...attributes.map(([type, text]) => set(sequence(objectIdentifier(attributeTypes[type]), utf8String(text)))),
  );
}

/** Whose certificate it is, to the byte: what it issues must say the same. */
export function subjectOf(certificate: Der): Der {
  const [toBeSigned] = membersOf(certificate);
  const subject = toBeSigned === undefined ? undefined : membersOf(toBeSigned)[5];
  if (subject === undefined) throw new Error('not a certificate of version 3');
  return subject;
}

const extension = (type: string, content: Der, critical = false): Der =>
  sequence(objectIdentifier(type), ...(critical ? [boolean(true)] : []), octetString(content));

/** The first 160 bits by which certificates name a key: section 4.2.1.2, method 1. */
function keyIdentifier(key: KeyObject): Buffer {
  const [, bits = bitString(Buffer.alloc(0))] = membersOf(publicKeyInfo(key));
  // The first byte only counts unused bits.
  return createHash('sha1').update(contentOf(bits).subarray(1)).digest();
}

export const basicConstraints = (authority: boolean): Der =>
  extension('2.5.29.19', authority ? sequence(boolean(true)) : sequence(), true);

export const authorityKeyUsage = (): Der => extension('2.5.29.15', bitString(Buffer.from([0b1000_0110]), 1), true);
export const signatureKeyUsage = (): Der => extension('2.5.29.15', bitString(Buffer.from([0b1000_0000]), 7), true);

const purposes = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;
export type Purpose = keyof typeof purposes;
export const extendedKeyUsage = (purpose: Purpose): Der =>
  extension('2.5.29.37', sequence(objectIdentifier(purposes[purpose])));

export const subjectKeyIdentifier = (key: KeyObject): Der => extension('2.5.29.14', octetString(keyIdentifier(key)));
export const authorityKeyIdentifier = (key: KeyObject): Der =>
  extension('2.5.29.35', sequence(implicit(0, keyIdentifier(key))));

/** DNS names and IP addresses. */
export const subjectAlternativeName = (hosts: readonly string[]): Der =>
  extension('2.5.29.17', sequence(...hosts.map(generalName)));

function generalName(host: string): Der {
  if (isIPv4(host)) return implicit(7, Buffer.from(host.split('.').map(Number)));
  if (isIPv6(host)) return implicit(7, ipv6Bytes(host));
  return implicit(2, Buffer.from(host, 'ascii'));
}

function ipv6Bytes(address: string): Buffer {
  // A URL writes an address in hexadecimal groups alone, and leaves out at most one row of zeros.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const all = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
