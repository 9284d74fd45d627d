import { createPrivateKey, randomBytes, webcrypto, X509Certificate, type KeyObject } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import type * as X509 from '@peculiar/x509';

/*
 * X.509 certificates, version 3 (https://www.rfc-editor.org/rfc/rfc5280, section 4), through @peculiar/x509.
 */

/** The attributes of a name in order, in the form that the library accepts. */
export type DistinguishedName = X509.JsonNameParams;

/** A certificate and its private key. */
export interface CertificatePair {
  /** PEM. */
  readonly certificate: string;
  /** PEM; PKCS #8 in pairs that are made here. */
  readonly key: string;
}

export interface CertificateContent {
  /** A positive number, most significant byte first. */
  readonly serialNumber: Buffer;
  /** The name of the issuer. In DER if it is copied from a certificate, because both names must be identical in every byte. */
  readonly issuer: DistinguishedName | Buffer;
  readonly subject: DistinguishedName;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  readonly extensions: readonly X509.Extension[];
}

/**
 * Loads the library when the first certificate is made. With the polyfill that its dependency injection needs, loading takes 60 ms of CPU time
 * and 13 MB of memory from a bundle, twice as much from its packages. A chain with existing certificates should not pay that.
 */
export async function x509Library(): Promise<typeof X509> {
  return (await import('./x509-library.ts')).X509;
}

/** Signs with the issuer's PEM key. Throws Error unless the key is an RSA key or an elliptic curve key that WebCrypto supports. */
export async function signCertificate(content: CertificateContent, issuerKey: string): Promise<X509Certificate> {
  const { Name, X509CertificateGenerator } = await x509Library();
  const { serialNumber, issuer, subject, publicKey, extensions, ...validity } = content;
  const certificate = await X509CertificateGenerator.create(
    {
      ...validity,
      serialNumber: serialNumber.toString('hex'),
      issuer: new Name(issuer),
      subject: new Name(subject),
      publicKey: publicKeyInfo(publicKey),
      signingKey: signingKey(createPrivateKey(issuerKey)),
      signingAlgorithm: { hash: 'SHA-256' },
      extensions: [...extensions],
    },
    webcrypto,
  );
  return new X509Certificate(Buffer.from(certificate.rawData));
}

/** A serial number of 16 bytes. */
export function randomSerialNumber(): Buffer {
  const bytes = randomBytes(16);
  // The first bits are 01, so the number is positive and has no leading zero byte.
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes;
}

const curves: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

function signingKey(key: KeyObject): webcrypto.CryptoKey {
  const namedCurve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (namedCurve !== undefined) return key.toCryptoKey({ name: 'ECDSA', namedCurve }, false, ['sign']);
  const type = key.asymmetricKeyType ?? 'unknown';
  if (type !== 'rsa') throw new Error(`certificates cannot be signed with a key of type ${type} or of its curve`);
  return key.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['sign']);
}

export const publicKeyInfo = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' });

/** A distinguished name with its attributes in order. */
export const distinguishedName = (attributes: readonly (readonly ['CN' | 'O', string])[]): DistinguishedName =>
  // Marked as UTF-8, because the library parses special characters in plain text: quotes, backslashes, a leading `#`.
  attributes.map(([type, utf8String]) => ({ [type]: [{ utf8String }] }));

/** The subject of a certificate, in DER. */
export async function subjectOf({ raw }: X509Certificate): Promise<Buffer> {
  const library = await x509Library();
  return Buffer.from(new library.X509Certificate(raw).subjectName.toArrayBuffer());
}

/** Subject alternative names for DNS names and IP addresses. */
export const generalNames = (hosts: readonly string[]): X509.JsonGeneralName[] =>
  hosts.map((host) => (isIP(host) === 0 ? { type: 'dns', value: host } : { type: 'ip', value: plainAddress(host) }));

/** The library cannot parse `::ffff:1.2.3.4`. The URL parser converts it to hexadecimal groups. */
const plainAddress = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
