import { createPrivateKey, webcrypto, X509Certificate, type KeyObject } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import type * as X509 from '@peculiar/x509';

/*
 * X.509 certificates, version 3 (https://www.rfc-editor.org/rfc/rfc5280, section 4), through @peculiar/x509.
 */

/** The attributes of a name in order, as the library takes them. */
export type DistinguishedName = X509.JsonNameParams;

export interface CertificateContent {
  /** A positive number, most significant byte first. */
  readonly serialNumber: Buffer;
  /** The name of the authority; in DER when it stands in a certificate, since the two must be the same to the byte. */
  readonly issuer: DistinguishedName | Buffer;
  readonly subject: DistinguishedName;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  readonly extensions: readonly X509.Extension[];
}

/**
 * The library, loaded with the first certificate that is made: with the polyfill that its container of dependencies asks for, it takes
 * 130 ms of processor time and 22 MB, which a chain that finds its certificates must not pay.
 */
export async function x509Library(): Promise<typeof X509> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** Signs with the issuer's key, in PEM; throws Error when that is neither an elliptic curve key of WebCrypto nor an RSA key. */
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

const curves: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

function signingKey(key: KeyObject): webcrypto.CryptoKey {
  const namedCurve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (namedCurve !== undefined) return key.toCryptoKey({ name: 'ECDSA', namedCurve }, false, ['sign']);
  const type = key.asymmetricKeyType ?? 'unknown';
  if (type !== 'rsa') throw new Error(`certificates cannot be signed with a key of type ${type} or of its curve`);
  return key.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['sign']);
}

export const publicKeyInfo = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' });

/** A distinguished name, its attributes in order. */
export const distinguishedName = (attributes: readonly (readonly ['CN' | 'O', string])[]): DistinguishedName =>
  // Said to be UTF-8, because the library takes a plain text apart: quotes, backslashes, a leading `#`.
  attributes.map(([type, utf8String]) => ({ [type]: [{ utf8String }] }));

/** Whose certificate it is, in DER. */
export async function subjectOf({ raw }: X509Certificate): Promise<Buffer> {
  const library = await x509Library();
  return Buffer.from(new library.X509Certificate(raw).subjectName.toArrayBuffer());
}

/** DNS names and IP addresses. */
export const generalNames = (hosts: readonly string[]): X509.JsonGeneralName[] =>
  hosts.map((host) => (isIP(host) === 0 ? { type: 'dns', value: host } : { type: 'ip', value: plainAddress(host) }));

/** A URL writes an address in hexadecimal groups alone, where the library does not read `::ffff:1.2.3.4`. */
const plainAddress = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
