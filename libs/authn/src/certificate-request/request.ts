import { pemBlocks } from '@apichain/meta';
import type { CertificationRequest } from '@peculiar/asn1-csr';
import type { AsnType } from 'asn1js';
import { asn1Library } from './asn1-library.ts';
import { Asn1Error, membersOf, readDer, contentOf } from './der.ts';

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

/** 2.5.4.10 */
const organizationName = Buffer.from([0x55, 0x04, 0x0a]);
/** 2.5.4.3 */
const commonName = Buffer.from([0x55, 0x04, 0x03]);
const bmpString = 30;

/** The requested organizations. Throws Error when the PEM text contains no request that can be parsed. */
export const requestedOrganizations = (pem: string): string[] => requestedSubject(pem, organizationName);

/** The requested common name: the last one if there are several, `''` if there is none. Throws as above. */
export const requestedCommonName = (pem: string): string => requestedSubject(pem, commonName).at(-1) ?? '';

function requestedSubject(pem: string, wanted: Buffer): string[] {
  const attributes = membersOf(readCertificateRequest(pem).subject).flatMap(membersOf);
  return attributes.flatMap((attribute) => {
    const [type, value] = membersOf(attribute);
    return type !== undefined && value !== undefined && contentOf(type).equals(wanted) ? [textOf(value)] : [];
  });
}

/**
 * Decodes every byte, where the library drops bytes that are not UTF-8. The content of a value that is not a string counts as text, so that no
 * type of value can hide a name.
 */
function textOf(value: AsnType): string {
  const bytes = contentOf(value);
  if (value.idBlock.tagNumber !== bmpString || bytes.length % 2 !== 0) return bytes.toString('utf8');
  return Buffer.from(bytes).swap16().toString('utf16le');
}
