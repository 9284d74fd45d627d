import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import type * as X509Library from '@peculiar/x509';
import type { JsonGeneralName, X509Certificate } from '@peculiar/x509';

/*
 * Certificates for development and tests: ECDSA P-256, authorities for ten years, the rest for one.
 */

export interface CertificatePair {
  /** PEM. */
  readonly certificate: string;
  /** PKCS #8 PEM. */
  readonly key: string;
}

/** Loaded on first use: a server that is given its certificates never pays for it. */
async function loadX509(): Promise<typeof X509Library> {
  await import('./reflect-metadata.ts');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  return x509;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
const signing = { name: 'ECDSA', hash: 'SHA-256' };
const yearMs = 365 * 24 * 3_600_000;
const backdateMs = 300_000;

/** A self-signed certificate authority. */
export async function createCA(commonName: string): Promise<CertificatePair> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: signing,
    ...validity(10),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemOf(certificate), key: await pemOfKey(keys.privateKey) };
}

/** A server certificate for the given DNS names and IP addresses. */
export function issueServing(
  ca: CertificatePair,
  commonName: string,
  hosts: readonly string[],
): Promise<CertificatePair> {
  const names: JsonGeneralName[] = hosts.map((host) => ({ type: isAddress(host) ? 'ip' : 'dns', value: host }));
  return issue(ca, [{ CN: [commonName] }], 'serverAuth', names);
}

/** A client certificate: the common name is the user, `groups` its groups. */
export function issueClient(
  ca: CertificatePair,
  commonName: string,
  groups: readonly string[] = [],
): Promise<CertificatePair> {
  const name = [...groups.map((group) => ({ O: [group] })), { CN: [commonName] }];
  return issue(ca, name, 'clientAuth', []);
}

async function issue(
  ca: CertificatePair,
  subject: { CN?: string[]; O?: string[] }[],
  usage: 'serverAuth' | 'clientAuth',
  names: readonly JsonGeneralName[],
): Promise<CertificatePair> {
  const x509 = await loadX509();
  const authority = new x509.X509Certificate(ca.certificate);
  const signingKey = await importKey(ca.key);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject,
    issuer: authority.subjectName.toJSON(),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: signing,
    ...validity(1),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[usage]]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension([...names])] : []),
    ],
  });
  return { certificate: pemOf(certificate), key: await pemOfKey(keys.privateKey) };
}

const isAddress = (host: string) => /^[\d.]+$/.test(host) || host.includes(':');

function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return bytes.toString('hex');
}

function validity(years: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(now + years * yearMs) };
}

const pemOf = (certificate: X509Certificate): string => `${certificate.toString('pem').trim()}\n`;

async function pemOfKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${der.replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}
