import type { AsnType } from 'asn1js';
import { contentOf, membersOf } from './der.ts';
import { readCertificateRequest } from './request.ts';

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
