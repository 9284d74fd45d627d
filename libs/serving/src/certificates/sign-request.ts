import { X509Certificate, createPublicKey } from 'node:crypto';
import { certificateRequestProblem, requestedCommonName, requestedOrganizations } from '@apichain/authn';
import type { Extension, JsonGeneralName } from '@peculiar/x509';
import {
  randomSerialNumber,
  signCertificate,
  subjectOf,
  x509Library,
  type CertificatePair,
  type DistinguishedName,
} from './certificate.ts';

/** What a PKCS #10 request asks for. */
export interface RequestedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly uris: readonly string[];
}

/** What a signer decides about a certificate. */
interface SigningPolicy {
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The bits of the key usage extension, as `KeyUsageFlags` of the library. */
  readonly keyUsage: number;
  /** Object identifiers, in order. */
  readonly extendedKeyUsages: readonly string[];
}

const subjectAlternativeName = '2.5.29.17';

/** Reads a request. Throws Error, with kube-controller-manager's message, unless the PEM text is a request signed with its own key. */
export async function readCertificateRequest(pem: string): Promise<RequestedCertificate> {
  const problem = certificateRequestProblem(pem);
  if (problem !== undefined) throw new Error(problem);
  const names = await namesOf(pem);
  const valuesOf = (type: JsonGeneralName['type']) =>
    names.filter((name) => name.type === type).map(({ value }) => String(value));
  return {
    commonName: requestedCommonName(pem),
    organizations: requestedOrganizations(pem),
    dnsNames: valuesOf('dns'),
    emailAddresses: valuesOf('email'),
    ipAddresses: valuesOf('ip'),
    uris: valuesOf('url'),
  };
}

/**
 * Signs a request: subject, alternative names and key are those of the request, everything else is the signer's. Returns PEM. Throws Error as
 * `readCertificateRequest` does, and for a key of the authority that cannot sign.
 */
export async function signCertificateRequest(
  ca: CertificatePair,
  pem: string,
  { notBefore, notAfter, keyUsage, extendedKeyUsages }: SigningPolicy,
): Promise<string> {
  const requested = await readCertificateRequest(pem);
  const library = await x509Library();
  const { publicKey } = new library.Pkcs10CertificateRequest(pem);
  const authority = new X509Certificate(ca.certificate);
  const keyIdentifier = new library.X509Certificate(authority.raw).getExtension(library.SubjectKeyIdentifierExtension);
  const names = sortedNames(await namesOf(pem));
  const extensions: Extension[] = [
    ...(keyUsage === 0 ? [] : [new library.KeyUsagesExtension(keyUsage, true)]),
    ...(extendedKeyUsages.length === 0 ? [] : [new library.ExtendedKeyUsageExtension([...extendedKeyUsages])]),
    new library.BasicConstraintsExtension(false, undefined, true),
    ...(keyIdentifier === null ? [] : [new library.AuthorityKeyIdentifierExtension(keyIdentifier.keyId)]),
    ...(names.length === 0 ? [] : [new library.SubjectAlternativeNameExtension(names)]),
  ];
  const certificate = await signCertificate(
    {
      serialNumber: randomSerialNumber(),
      issuer: await subjectOf(authority),
      subject: await subjectIn(pem, requested),
      notBefore,
      notAfter,
      publicKey: createPublicKey({ key: Buffer.from(publicKey.rawData), format: 'der', type: 'spki' }),
      extensions,
    },
    ca.key,
  );
  return certificate.toString();
}

const nameOrder: readonly JsonGeneralName['type'][] = ['dns', 'email', 'ip', 'url'];

const sortedNames = (names: readonly JsonGeneralName[]): JsonGeneralName[] =>
  nameOrder.flatMap((type) => names.filter((name) => name.type === type));

/** The alternative names of a request. A certificate request may have several extensions of this kind; the first counts. */
async function namesOf(pem: string): Promise<JsonGeneralName[]> {
  const { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } = await x509Library();
  const extension = new Pkcs10CertificateRequest(pem).getExtension(subjectAlternativeName);
  return extension instanceof SubjectAlternativeNameExtension ? [...extension.names.toJSON()] : [];
}

/** The other attributes that crypto/x509 copies from a request, before and after the organizations and the common name. */
const beforeOrganization = ['2.5.4.6'];
const beforeCommonName = ['2.5.4.11', '2.5.4.7', '2.5.4.8', '2.5.4.9', '2.5.4.17'];
const afterCommonName = ['2.5.4.5'];

/** The subject of a request in the order of crypto/x509, which drops attributes that it does not know. */
async function subjectIn(pem: string, { commonName, organizations }: RequestedCertificate): Promise<DistinguishedName> {
  const { Pkcs10CertificateRequest } = await x509Library();
  const { subjectName } = new Pkcs10CertificateRequest(pem);
  const attribute = (type: string, values: readonly string[]) =>
    values.length === 0 ? [] : [{ [type]: values.map((utf8String) => ({ utf8String })) }];
  const copied = (types: readonly string[]) => types.flatMap((type) => attribute(type, subjectName.getField(type)));
  return [
    ...copied(beforeOrganization),
    ...attribute('2.5.4.10', organizations),
    ...copied(beforeCommonName),
    ...attribute('2.5.4.3', commonName === '' ? [] : [commonName]),
    ...copied(afterCommonName),
  ];
}
