import { X509Certificate, generateKeyPair, webcrypto, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Extension } from '@peculiar/x509';
import {
  distinguishedName,
  generalNames,
  publicKeyInfo,
  randomSerialNumber,
  signCertificate,
  subjectOf,
  x509Library,
  type CertificatePair,
  type DistinguishedName,
} from './certificates/certificate.ts';

export type { CertificatePair };
export {
  readCertificateRequest,
  signCertificateRequest,
  type RequestedCertificate,
} from './certificates/sign-request.ts';

/*
 * Certificates for development and tests: ECDSA P-256. CA certificates are valid for ten years, others for one year.
 */

const yearMs = 365 * 24 * 3_600_000;
const backdateMs = 300_000;

/** A self-signed certificate authority. */
export async function createCA(commonName: string): Promise<CertificatePair> {
  const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, SubjectKeyIdentifierExtension } =
    await x509Library();
  const { publicKey, privateKey } = await newKeys();
  const name = distinguishedName([['CN', commonName]]);
  const usages = KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign;
  const key = pem(privateKey);
  const extensions = [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(usages, true),
    await SubjectKeyIdentifierExtension.create(publicKeyInfo(publicKey), false, webcrypto),
  ];
  const certificate = await signCertificate(
    { serialNumber: randomSerialNumber(), issuer: name, subject: name, ...validity(10), publicKey, extensions },
    key,
  );
  return { certificate: certificate.toString(), key };
}

/** A server certificate for the given DNS names and IP addresses. */
export function issueServing(
  ca: CertificatePair,
  commonName: string,
  hosts: readonly string[],
): Promise<CertificatePair> {
  return issue(ca, distinguishedName([['CN', commonName]]), 'serverAuth', hosts);
}

/** A client certificate: the common name is the user name, and `groups` are the user's groups. */
export function issueClient(
  ca: CertificatePair,
  commonName: string,
  groups: readonly string[] = [],
): Promise<CertificatePair> {
  return issue(ca, userName(commonName, groups), 'clientAuth', []);
}

/** A request for a client certificate, which somebody else signs. */
interface ClientCertificateRequest {
  /** PKCS #10 PEM. */
  readonly request: string;
  /** PKCS #8 PEM. */
  readonly key: string;
}

/** Requests a client certificate for a user: the common name is the user name, and `groups` are the user's groups. */
export async function requestClient(
  commonName: string,
  groups: readonly string[] = [],
): Promise<ClientCertificateRequest> {
  const { Name, Pkcs10CertificateRequestGenerator } = await x509Library();
  const { publicKey, privateKey } = await newKeys();
  const algorithm = { name: 'ECDSA', namedCurve };
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      name: new Name(userName(commonName, groups)),
      keys: {
        publicKey: publicKey.toCryptoKey(algorithm, true, ['verify']),
        privateKey: privateKey.toCryptoKey(algorithm, false, ['sign']),
      },
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    },
    webcrypto,
  );
  return { request: request.toString('pem'), key: pem(privateKey) };
}

const userName = (commonName: string, groups: readonly string[]): DistinguishedName =>
  distinguishedName([...groups.map((group) => ['O', group] as const), ['CN', commonName]]);

async function issue(
  ca: CertificatePair,
  subject: DistinguishedName,
  purpose: 'serverAuth' | 'clientAuth',
  hosts: readonly string[],
): Promise<CertificatePair> {
  const library = await x509Library();
  const authority = new X509Certificate(ca.certificate);
  const { publicKey, privateKey } = await newKeys();
  const extensions: Extension[] = [
    new library.BasicConstraintsExtension(false, undefined, true),
    new library.KeyUsagesExtension(library.KeyUsageFlags.digitalSignature, true),
    new library.ExtendedKeyUsageExtension([library.ExtendedKeyUsage[purpose]]),
    await library.AuthorityKeyIdentifierExtension.create(publicKeyInfo(authority.publicKey), false, webcrypto),
    ...(hosts.length > 0 ? [new library.SubjectAlternativeNameExtension(generalNames(hosts))] : []),
  ];
  const certificate = await signCertificate(
    {
      serialNumber: randomSerialNumber(),
      issuer: await subjectOf(authority),
      subject,
      ...validity(1),
      publicKey,
      extensions,
    },
    ca.key,
  );
  return { certificate: certificate.toString(), key: pem(privateKey) };
}

const generate = promisify(generateKeyPair);
const namedCurve = 'P-256';
const newKeys = () => generate('ec', { namedCurve });

function validity(years: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(now + years * yearMs) };
}

const pem = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();
