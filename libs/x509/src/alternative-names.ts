import { parseGoUrl } from '@apichain/go-text';
import { DerError, DerReader, primitive, tags } from './der.ts';
import { isDomain } from './domain.ts';

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
