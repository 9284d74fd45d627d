import { X509Certificate, createPrivateKey, generateKeyPair, randomBytes, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import {
  authorityKeyIdentifier,
  authorityKeyUsage,
  basicConstraints,
  distinguishedName,
  extendedKeyUsage,
  signCertificate,
  signatureKeyUsage,
  subjectAlternativeName,
  subjectKeyIdentifier,
  subjectOf,
  type Purpose,
} from './certificates/certificate.ts';
import type { Der } from './certificates/der.ts';

/*
 * Certificates for development and tests: ECDSA P-256, authorities for ten years, the rest for one.
 * Written here, because loading a library for it took longer than everything else that a first start does before its services.
 */

export interface CertificatePair {
  /** PEM. */
  readonly certificate: string;
  /** PKCS #8 PEM. */
  readonly key: string;
}

const yearMs = 365 * 24 * 3_600_000;
const backdateMs = 300_000;

/** A self-signed certificate authority. */
export async function createCA(commonName: string): Promise<CertificatePair> {
  const { publicKey, privateKey } = await newKeys();
  const name = distinguishedName([['CN', commonName]]);
  const certificate = signCertificate(
    {
      serialNumber: serialNumber(),
      issuer: name,
      subject: name,
      ...validity(10),
      publicKey,
      extensions: [basicConstraints(true), authorityKeyUsage(), subjectKeyIdentifier(publicKey)],
    },
    privateKey,
  );
  return pair(certificate, privateKey);
}

/** A server certificate for the given DNS names and IP addresses. */
export function issueServing(
  ca: CertificatePair,
  commonName: string,
  hosts: readonly string[],
): Promise<CertificatePair> {
  return issue(ca, distinguishedName([['CN', commonName]]), 'serverAuth', hosts);
}

/** A client certificate: the common name is the user, `groups` its groups. */
export function issueClient(
  ca: CertificatePair,
  commonName: string,
  groups: readonly string[] = [],
): Promise<CertificatePair> {
  const name = distinguishedName([...groups.map((group) => ['O', group] as const), ['CN', commonName]]);
  return issue(ca, name, 'clientAuth', []);
}

async function issue(
  ca: CertificatePair,
  subject: Der,
  purpose: Purpose,
  hosts: readonly string[],
): Promise<CertificatePair> {
  const authority = new X509Certificate(ca.certificate);
  const { publicKey, privateKey } = await newKeys();
  const certificate = signCertificate(
    {
      serialNumber: serialNumber(),
      issuer: subjectOf(authority.raw),
      subject,
      ...validity(1),
      publicKey,
      extensions: [
        basicConstraints(false),
        signatureKeyUsage(),
        extendedKeyUsage(purpose),
        authorityKeyIdentifier(authority.publicKey),
        ...(hosts.length > 0 ? [subjectAlternativeName(hosts)] : []),
      ],
    },
    createPrivateKey(ca.key),
  );
  return pair(certificate, privateKey);
}

const generate = promisify(generateKeyPair);
const newKeys = () => generate('ec', { namedCurve: 'P-256' });

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  // Neither negative nor with a zero in front.
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes;
}

function validity(years: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(now + years * yearMs) };
}

function pair(certificate: Der, key: KeyObject): CertificatePair {
  return { certificate: pem(certificate), key: key.export({ format: 'pem', type: 'pkcs8' }).toString() };
}

function pem(certificate: Der): string {
  const lines = certificate.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
