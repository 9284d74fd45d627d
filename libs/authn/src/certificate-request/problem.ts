import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { CertificationRequest } from '@peculiar/asn1-csr';
import { asn1Library } from './asn1-library.ts';
import { Asn1Error } from './der.ts';
import { NoCertificateRequestError, parseCertificateRequest, readCertificateRequest } from './request.ts';

const rsa = { key: 'rsa', failure: 'crypto/rsa: verification error' } as const;
const ecdsa = { key: 'ec', failure: 'x509: ECDSA verification failure' } as const;
const ed25519 = { key: 'ed25519', failure: 'x509: Ed25519 verification failure' } as const;

/** The hash, kind of key and error text of each signature algorithm. */
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
 * The error of the signature. Unknown keys and algorithms are accepted. Node checks the signature, because the WebCrypto of @peculiar/x509
 * supports three curves and no RSA key with odd parameters.
 */
function signatureProblem(request: CertificationRequest): string | undefined {
  const { certificationRequestInfoRaw: signed, signatureAlgorithm, signature } = request;
  const known = algorithms.get(signatureAlgorithm.algorithm);
  const key = keyOf(request);
  if (known === undefined || key === undefined) return undefined;
  if (signed === undefined || key.asymmetricKeyType !== known.key) return known.failure;
  return verify(known.hash, new Uint8Array(signed), key, new Uint8Array(signature)) ? undefined : known.failure;
}

/** Why a PEM text is not a certificate request signed with its own key; undefined when it is one. */
export function certificateRequestProblem(pem: string): string | undefined {
  try {
    return signatureProblem(readCertificateRequest(pem).request);
  } catch (error) {
    if (error instanceof Asn1Error || error instanceof NoCertificateRequestError) return error.message;
    throw error;
  }
}

/** The key of a DER-encoded request. */
interface RequestedKey {
  /** undefined = the algorithm is not supported. */
  readonly key: KeyObject | undefined;
  /** Whether the request is signed with that key. */
  readonly signed: boolean;
}

/** The key of a certificate request in DER; undefined when the bytes are not a request. */
export function requestedKey(der: Buffer): RequestedKey | undefined {
  try {
    const { request } = parseCertificateRequest(der);
    return { key: keyOf(request), signed: signatureProblem(request) === undefined };
  } catch (error) {
    if (error instanceof Asn1Error) return undefined;
    throw error;
  }
}
