import type { AsnType } from 'asn1js';
import { contentOf, membersOf } from './der.ts';
import { readCertificateRequest } from './request.ts';

/** 2.5.4.10 */
const organizationName = Buffer.from([0x55, 0x04, 0x0a]);
/** 2.5.4.3 */
const commonName = Buffer.from([0x55, 0x04, 0x03]);
const bmpString = 30;

/** The organizations that are asked for. Throws Error when the PEM text holds no request that can be read. */
export const requestedOrganizations = (pem: string): string[] => requestedSubject(pem, organizationName);

/** The common name that is asked for; the last one if there are several, `''` if there is none. Throws as above. */
export const requestedCommonName = (pem: string): string => requestedSubject(pem, commonName).at(-1) ?? '';

function requestedSubject(pem: string, wanted: Buffer): string[] {
  const attributes = membersOf(readCertificateRequest(pem).subject).flatMap(membersOf);
  return attributes.flatMap((attribute) => {
    const [type, value] = membersOf(attribute);
    return type !== undefined && value !== undefined && contentOf(type).equals(wanted) ? [textOf(value)] : [];
  });
}

/**
 * Read to the byte, where the library drops bytes that are no UTF-8; the content of a value that is no kind of string counts as text, so
 * that no kind of value hides a name.
 */
function textOf(value: AsnType): string {
  const bytes = contentOf(value);
  if (value.idBlock.tagNumber !== bmpString || bytes.length % 2 !== 0) return bytes.toString('utf8');
  return Buffer.from(bytes).swap16().toString('utf16le');
}
