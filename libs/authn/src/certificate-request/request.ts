import type { CertificationRequest } from '@peculiar/asn1-csr';
import type { AsnType } from 'asn1js';
import { pemBlocks } from '@apichain/meta';
import { asn1Library } from './asn1-library.ts';
import { Asn1Error, membersOf, readDer } from './der.ts';

/** A PKCS #10 request (RFC 2986), without its attributes. */
export interface CertificateRequest {
  readonly request: CertificationRequest;
  /** The name in it, as it stands there. */
  readonly subject: AsnType;
}

/**
 * The request in a PEM text. Throws NoCertificateRequestError, with the words of ParseCSR in client-go, when there is none, and
 * Asn1Error when the bytes are none.
 */
export function readCertificateRequest(pem: string): CertificateRequest {
  const [first] = pemBlocks(pem);
  if (first?.type !== 'CERTIFICATE REQUEST')
    throw new NoCertificateRequestError('PEM block type must be CERTIFICATE REQUEST');
  return parseCertificateRequest(first.bytes);
}

/** The same of DER. Throws Asn1Error. */
export function parseCertificateRequest(der: Buffer): CertificateRequest {
  const value = readDer(der);
  const [info] = membersOf(value);
  const members = info === undefined ? [] : membersOf(info);
  // Nobody asks for the attributes, and crypto/x509 does not mind one that it cannot read.
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

/** A text without a PEM block of a certificate request. */
export class NoCertificateRequestError extends Error {
  override readonly name = 'NoCertificateRequestError';
}
