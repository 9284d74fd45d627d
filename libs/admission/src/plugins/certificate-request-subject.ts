/*
 * Of a PKCS #10 certificate request (RFC 2986) just the common name and the organizations in its subject, which is all that admission asks about.
 */

interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** What follows the element. */
  readonly rest: Buffer;
}

const sequence = 0x30;
const set = 0x31;
const integer = 0x02;
const objectIdentifier = 0x06;
const bmpString = 0x1e;
/** 2.5.4.10 */
const organizationName = Buffer.from([0x55, 0x04, 0x0a]);
/** 2.5.4.3 */
const commonName = Buffer.from([0x55, 0x04, 0x03]);

/** Reads one DER element. Throws Error when there is none. */
function readElement(der: Buffer): Element {
  const tag = der[0];
  const first = der[1];
  if (tag === undefined || first === undefined) throw new Error('asn1: syntax error: data truncated');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4 || der.length < 2 + lengthBytes) throw new Error('asn1: syntax error: length too large');
  const length = lengthBytes === 0 ? first & 0x7f : der.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  if (der.length < start + length) throw new Error('asn1: syntax error: data truncated');
  return { tag, content: der.subarray(start, start + length), rest: der.subarray(start + length) };
}

function expectElement(der: Buffer, tag: number): Element {
  const element = readElement(der);
  if (element.tag !== tag) throw new Error(`asn1: structure error: tags don't match (${tag} vs ${element.tag})`);
  return element;
}

function* elements(der: Buffer, tag: number): Generator<Buffer> {
  for (let rest = der; rest.length > 0;) {
    const element = expectElement(rest, tag);
    yield element.content;
    rest = element.rest;
  }
}

function decodeText({ tag, content }: Element): string {
  return tag === bmpString ? Buffer.from(content).swap16().toString('utf16le') : content.toString('utf8');
}

const pemBlock = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([^-]*)-----END (?:NEW )?CERTIFICATE REQUEST-----/;

/** The organizations that are asked for. Throws Error when the PEM text holds no request that can be read. */
export const requestedOrganizations = (pem: string): string[] => requestedSubject(pem, organizationName);

/** The common name that is asked for; the last one if there are several, `''` if there is none. Throws as above. */
export const requestedCommonName = (pem: string): string => requestedSubject(pem, commonName).at(-1) ?? '';

function requestedSubject(pem: string, wanted: Buffer): string[] {
  const block = pemBlock.exec(pem)?.[1];
  if (block === undefined) throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const request = expectElement(Buffer.from(block, 'base64'), sequence);
  const info = expectElement(request.content, sequence);
  const version = expectElement(info.content, integer);
  const subject = expectElement(version.rest, sequence);
  const found: string[] = [];
  for (const relativeName of elements(subject.content, set)) {
    for (const attribute of elements(relativeName, sequence)) {
      const type = expectElement(attribute, objectIdentifier);
      if (type.content.equals(wanted)) found.push(decodeText(readElement(type.rest)));
    }
  }
  return found;
}
