import { children, type Element, syntaxError, tags } from './der.ts';
import { readCertificateRequest } from './request.ts';

/** 2.5.4.10 */
const organizationName = Buffer.from([0x55, 0x04, 0x0a]);
/** 2.5.4.3 */
const commonName = Buffer.from([0x55, 0x04, 0x03]);

/** The organizations that are asked for. Throws Error when the PEM text holds no request that can be read. */
export const requestedOrganizations = (pem: string): string[] => requestedSubject(pem, organizationName);

/** The common name that is asked for; the last one if there are several, `''` if there is none. Throws as above. */
export const requestedCommonName = (pem: string): string => requestedSubject(pem, commonName).at(-1) ?? '';

function requestedSubject(pem: string, wanted: Buffer): string[] {
  const { der, frame } = readCertificateRequest(pem);
  const [info] = children(der, frame);
  const subject = info === undefined ? undefined : children(der, info)[1];
  if (subject?.tag !== tags.sequence) throw syntaxError('sequence truncated');
  const attributes = children(der, subject).flatMap((relativeName) => children(der, relativeName));
  return attributes.flatMap((attribute) => {
    const [type, value] = children(der, attribute);
    if (type?.tag !== tags.objectIdentifier || value === undefined) throw syntaxError('sequence truncated');
    return der.subarray(type.content, type.end).equals(wanted) ? [textOf(der, value)] : [];
  });
}

function textOf(der: Buffer, { tag, content, end }: Element): string {
  const bytes = der.subarray(content, end);
  return tag === tags.bmpString ? Buffer.from(bytes).swap16().toString('utf16le') : bytes.toString('utf8');
}
