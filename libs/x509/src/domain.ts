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
