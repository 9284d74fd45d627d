import { pemBlocks } from '@apichain/meta';
import { type Element, elementAt, lengthAt, structureError, syntaxError, tags } from './der.ts';

/** The bytes of the first block of a PEM text; undefined when there is none of this type. */
function pemBytes(text: string, type: string): Buffer | undefined {
  const [first] = pemBlocks(text);
  return first?.type === type ? first.bytes : undefined;
}

const plainParameters =
  '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}';

/** The frame of a request: `certificateRequest` in Go. */
function requestElement(der: Buffer): Element {
  const first = der[0];
  if (first === undefined) throw syntaxError('sequence truncated');
  const { length, next } = lengthAt(der, 1);
  const tag = first & 0x1f;
  const compound = (first & 0x20) !== 0;
  if (first !== 0x30) {
    const found = `{class:${first >> 6} tag:${tag} length:${length} isCompound:${compound}}`;
    throw structureError(
      `tags don't match (${tags.sequence} vs ${found}) ${plainParameters} certificateRequest @${next}`,
    );
  }
  return elementAt(der, 0, der.length);
}

/** A PKCS #10 request (RFC 2986): its bytes, and the frame around them. */
export interface CertificateRequest {
  readonly der: Buffer;
  readonly frame: Element;
}

/**
 * The request in a PEM text, read no further than its frame. Throws NoCertificateRequestError, with the words of ParseCSR in client-go,
 * when there is none, and Asn1Error when its encoding is wrong.
 */
export function readCertificateRequest(pem: string): CertificateRequest {
  const der = pemBytes(pem, 'CERTIFICATE REQUEST');
  if (der === undefined) throw new NoCertificateRequestError('PEM block type must be CERTIFICATE REQUEST');
  const frame = requestElement(der);
  if (frame.end < der.length) throw syntaxError('trailing data');
  return { der, frame };
}

/** A text without a PEM block of a certificate request. */
export class NoCertificateRequestError extends Error {
  override readonly name = 'NoCertificateRequestError';
}
