import { parseGoUrl } from '@apichain/go-text';
import { DerError, DerReader, primitive, tags } from './der.ts';

/** Subject alternative names of the kinds that Go knows. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly email: readonly string[];
  /** The hosts of URIs, with the port if there is one; an empty text for a URI without a host. */
  readonly uriHosts: readonly string[];
  /** Addresses of 4 or 16 bytes. */
  readonly ip: readonly Buffer[];
}

const kinds = { email: primitive(1), dns: primitive(2), uri: primitive(6), ip: primitive(7) } as const;

/** Reads the value of the extension. Names of other kinds are left out. Throws DerError where Go does not read the certificate. */
export function readAlternativeNames(value: Buffer): AlternativeNames {
  const list = new DerReader(value).inner(tags.sequence);
  const names = { dns: [] as string[], email: [] as string[], uriHosts: [] as string[], ip: [] as Buffer[] };
  while (!list.isAtEnd) {
    const { tag, content } = list.any();
    if (tag === kinds.dns) names.dns.push(asciiText(content));
    else if (tag === kinds.email) names.email.push(asciiText(content));
    else if (tag === kinds.uri) names.uriHosts.push(hostOf(asciiText(content)));
    else if (tag === kinds.ip) {
      if (content.length !== 4 && content.length !== 16) throw new DerError('an IP address of an unknown length');
      names.ip.push(content);
    }
  }
  return names;
}

/** An IA5String. Throws DerError. */
export function asciiText(content: Buffer): string {
  if (content.some((byte) => byte >= 0x80)) throw new DerError('a name is not ASCII');
  return content.toString('latin1');
}

function hostOf(uri: string): string {
  const parsed = parseGoUrl(uri);
  if ('error' in parsed) throw new DerError('an invalid URI');
  if (!isDomain(parsed.host)) throw new DerError('a URI with an invalid host');
  return parsed.host;
}

const outsideLabels = /[^\x21-\x7e]/;

/**
 * Whether Go's crypto/x509 takes a text for a domain name: labels of visible ASCII characters without a trailing dot. An empty text counts as one.
 */
export function isDomain(text: string): boolean {
  if (text === '') return true;
  return !outsideLabels.test(text) && !text.startsWith('.') && !text.endsWith('.') && !text.includes('..');
}

/** The same for a name constraint, which may begin with a dot. */
export const isDomainConstraint = (text: string): boolean =>
  text !== '.' && isDomain(text.startsWith('.') ? text.slice(1) : text);

/** An email address. */
export interface Mailbox {
  readonly local: string;
  /** In lower case. */
  readonly domain: string;
}

const atom = /^(?:\\[\s\S]|[0-9A-Za-z!#$%&'*+\-/=?^_`{|}~.])+/;
const quoted = /^"(?:\\[\x01-\x09\x0b\x0c\x0e-\x7f]|[\x01-\x08\x0b\x0c\x0e-\x21\x23-\x5b\x5d-\x7f])*"/;

/** An address as in RFC 2821, section 4.1.2; undefined when it is none. Source: parseRFC2821Mailbox of Go's crypto/x509. */
export function parseMailbox(text: string): Mailbox | undefined {
  const isQuoted = text.startsWith('"');
  const written = (isQuoted ? quoted : atom).exec(text)?.[0];
  if (written === undefined || text[written.length] !== '@') return undefined;
  const local = (isQuoted ? written.slice(1, -1) : written).replace(/\\([\s\S])/g, '$1');
  if (!isQuoted && (local.startsWith('.') || local.endsWith('.') || local.includes('..'))) return undefined;
  const domain = text.slice(written.length + 1);
  return isDomain(domain) ? { local, domain: domain.toLowerCase() } : undefined;
}
