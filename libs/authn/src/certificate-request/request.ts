import type { CertificationRequest } from '@peculiar/asn1-csr';
import type { AsnType } from 'asn1js';
import { pemBlocks } from '@apichain/meta';
import { asn1Library } from './asn1-library.ts';
import { Asn1Error, membersOf, readDer } from './der.ts';

/** A PKCS #10 request (RFC 2986), without its attributes. */
interface CertificateRequest {
  readonly request: CertificationRequest;
  /** The subject name, as encoded in the request. */
  readonly subject: AsnType;
}

/**
 * Parses the request in a PEM text. Throws NoCertificateRequestError, with the text of ParseCSR in client-go, when there is no PEM block of a
 * request, and Asn1Error when its bytes are malformed.
 */
export function readCertificateRequest(pem: string): CertificateRequest {
  const [first] = pemBlocks(pem);
  if (first?.type !== 'CERTIFICATE REQUEST')
    throw new NoCertificateRequestError('PEM block type must be CERTIFICATE REQUEST');
  return parseCertificateRequest(first.bytes);
}

/** The same for DER. Throws Asn1Error. */
export function parseCertificateRequest(der: Buffer): CertificateRequest {
  const value = readDer(der);
  const [info] = membersOf(value);
  const members = info === undefined ? [] : membersOf(info);
  // The attributes are not used, and crypto/x509 accepts attributes that it cannot parse.
  members.splice(3);
  const [, subject] = members;
  try {
    const request = asn1Library().AsnParser.fromASN(value, asn1Library().CertificationRequest);
    if (subject !== undefined) return { request, subject };
  } catch (error) {
    throw new Asn1Error('asn1: structure error: not a certificate request', { cause: error });
  }
  throw new Asn1Error('asn1: structure error: not a certificate request');
}

/** Thrown for a text without a PEM block of a certificate request. */
export class NoCertificateRequestError extends Error {
  override readonly name = 'NoCertificateRequestError';
}
