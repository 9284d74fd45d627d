import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { CertificationRequest } from '@peculiar/asn1-csr';
import { asn1Library } from './asn1-library.ts';
import { Asn1Error } from './der.ts';
import { NoCertificateRequestError, parseCertificateRequest, readCertificateRequest } from './request.ts';

const rsa = { key: 'rsa', failure: 'crypto/rsa: verification error' } as const;
const ecdsa = { key: 'ec', failure: 'x509: ECDSA verification failure' } as const;
const ed25519 = { key: 'ed25519', failure: 'x509: Ed25519 verification failure' } as const;

/** Hash, kind of key and words of failure by signature algorithm. */
const algorithms: ReadonlyMap<
  string,
  { readonly hash: string | null; readonly key: string; readonly failure: string }
> = new Map([
  ['1.2.840.113549.1.1.5', { ...rsa, hash: 'sha1' }],
  ['1.2.840.113549.1.1.11', { ...rsa, hash: 'sha256' }],
  ['1.2.840.113549.1.1.12', { ...rsa, hash: 'sha384' }],
  ['1.2.840.113549.1.1.13', { ...rsa, hash: 'sha512' }],
  ['1.2.840.10045.4.1', { ...ecdsa, hash: 'sha1' }],
  ['1.2.840.10045.4.3.2', { ...ecdsa, hash: 'sha256' }],
  ['1.2.840.10045.4.3.3', { ...ecdsa, hash: 'sha384' }],
  ['1.2.840.10045.4.3.4', { ...ecdsa, hash: 'sha512' }],
  ['1.3.101.112', { ...ed25519, hash: null }],
]);

function keyOf({ certificationRequestInfo }: CertificationRequest): KeyObject | undefined {
  const spki = Buffer.from(asn1Library().AsnConvert.serialize(certificationRequestInfo.subjectPKInfo));
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/**
 * What is wrong with the signature; keys and algorithms that are not known here are let through. Node checks it and not
 * @peculiar/x509, whose WebCrypto knows three curves and no RSA key with odd parameters.
 */
function signatureProblem(request: CertificationRequest): string | undefined {
  const { certificationRequestInfoRaw: signed, signatureAlgorithm, signature } = request;
  const known = algorithms.get(signatureAlgorithm.algorithm);
  const key = keyOf(request);
  if (known === undefined || key === undefined) return undefined;
  if (signed === undefined || key.asymmetricKeyType !== known.key) return known.failure;
  return verify(known.hash, new Uint8Array(signed), key, new Uint8Array(signature)) ? undefined : known.failure;
}

/** Why a PEM text is no certificate request signed with its own key; undefined when it is one. */
export function certificateRequestProblem(pem: string): string | undefined {
  try {
    return signatureProblem(readCertificateRequest(pem).request);
  } catch (error) {
    if (error instanceof Asn1Error || error instanceof NoCertificateRequestError) return error.message;
    throw error;
  }
}

/** What a DER-encoded request says of itself. */
export interface RequestedKey {
  /** undefined = an algorithm that is not known here. */
  readonly key: KeyObject | undefined;
  /** Whether the request is signed with that key. */
  readonly signed: boolean;
}

/** The key of a certificate request in DER; undefined when the bytes are none. */
export function requestedKey(der: Buffer): RequestedKey | undefined {
  try {
    const { request } = parseCertificateRequest(der);
    return { key: keyOf(request), signed: signatureProblem(request) === undefined };
  } catch (error) {
    if (error instanceof Asn1Error) return undefined;
    throw error;
  }
}
