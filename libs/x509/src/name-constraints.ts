import { parseIp } from '@apichain/go-text';
import {
  asciiText,
  isDomain,
  isDomainConstraint,
  parseMailbox,
  type AlternativeNames,
  type Mailbox,
} from './alternative-names.ts';
import { constructed, DerError, DerReader, primitive, tags } from './der.ts';

/** The names that certificates below a CA may have, RFC 5280, section 4.2.1.10. */
export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
}

interface Subtrees {
  readonly dns: string[];
  readonly email: string[];
  readonly uri: string[];
  readonly ip: Network[];
}

interface Network {
  readonly address: Buffer;
  readonly mask: Buffer;
}

/**
 * Reads the value of the extension. `isComplete` = false when it constrains names of a kind that Go does not check, such as directory names. Throws
 * DerError.
 */
export function readNameConstraints(value: Buffer): {
  readonly constraints: NameConstraints;
  readonly isComplete: boolean;
} {
  const outer = new DerReader(value);
  const list = outer.inner(tags.sequence);
  outer.end();
  const permitted = list.optional(constructed(0))?.content;
  const excluded = list.optional(constructed(1))?.content;
  list.end();
  if ((permitted?.length ?? 0) === 0 && (excluded?.length ?? 0) === 0) throw new DerError('no name constraint');
  const [allowed, refused] = [readSubtrees(permitted), readSubtrees(excluded)];
  const isComplete = allowed.isComplete && refused.isComplete;
  return { constraints: { permitted: allowed.subtrees, excluded: refused.subtrees }, isComplete };
}

function readSubtrees(content: Buffer = Buffer.alloc(0)): {
  readonly subtrees: Subtrees;
  readonly isComplete: boolean;
} {
  const list = new DerReader(content);
  const subtrees: Subtrees = { dns: [], email: [], uri: [], ip: [] };
  let isComplete = true;
  while (!list.isAtEnd) {
    const { tag, content: base } = list.inner(tags.sequence).any();
    const add = kinds.get(tag);
    if (add === undefined) isComplete = false;
    else add(subtrees, base);
  }
  return { subtrees, isComplete };
}

const kinds: ReadonlyMap<number, (to: Subtrees, base: Buffer) => void> = new Map([
  [primitive(1), addEmail],
  [primitive(2), (to: Subtrees, base: Buffer) => to.dns.push(domainOf(base))],
  [primitive(6), addUri],
  [primitive(7), addNetwork],
]);

function domainOf(base: Buffer): string {
  const domain = asciiText(base);
  if (!isDomainConstraint(domain)) throw new DerError('a name constraint that is not a domain');
  return domain;
}

function addEmail(to: Subtrees, base: Buffer): void {
  const text = asciiText(base);
  if (text.includes('@') ? parseMailbox(text) === undefined : !isDomainConstraint(text))
    throw new DerError('a name constraint that is not an email address or a domain');
  to.email.push(text);
}

function addUri(to: Subtrees, base: Buffer): void {
  if (parseIp(asciiText(base)) !== undefined) throw new DerError('a constraint of URIs that is an IP address');
  to.uri.push(domainOf(base));
}

function addNetwork(to: Subtrees, base: Buffer): void {
  const half = base.length / 2;
  if (half !== 4 && half !== 16) throw new DerError('a constraint of IP addresses of an unknown length');
  const mask = base.subarray(half);
  if (!/^1*0*$/.test(Array.from(mask, (byte) => byte.toString(2).padStart(8, '0')).join('')))
    throw new DerError('a constraint of IP addresses with an invalid mask');
  to.ip.push({ address: base.subarray(0, half), mask });
}

/** What a certificate says about names. */
interface NamesAndConstraints {
  readonly alternativeNames?: AlternativeNames;
  readonly nameConstraints?: NameConstraints;
}

/** How many pairs of address and network are compared at most. */
const maxComparisons = 250_000;

/**
 * Why a chain, leaf first, breaks the name constraints of its CAs; undefined if it does not. As in Go, the names of every certificate are checked
 * against the constraints of all that stand above it, and the common name is no name.
 */
export function nameConstraintProblem(chain: readonly NamesAndConstraints[]): string | undefined {
  for (const [position, { alternativeNames: names }] of chain.entries()) {
    if (names === undefined) continue;
    const above = chain.slice(position + 1).flatMap(({ nameConstraints }) => nameConstraints ?? []);
    if (above.length === 0) continue;
    const checked = checkedNames(names);
    if (typeof checked === 'string') return checked;
    for (const constraints of above) {
      const problem = problemWith(constraints, checked);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

interface CheckedNames {
  readonly dns: readonly string[];
  readonly email: readonly Mailbox[];
  readonly uri: readonly string[];
  readonly ip: readonly Buffer[];
}

/** The names in the form in which they are compared, or why one of them cannot be compared. */
function checkedNames({ dns, email, uriHosts, ip }: AlternativeNames): CheckedNames | string {
  if (!dns.every(isDomain)) return 'a DNS name cannot be parsed';
  const mailboxes: Mailbox[] = [];
  for (const text of email) {
    const mailbox = parseMailbox(text);
    if (mailbox === undefined) return 'an email address cannot be parsed';
    mailboxes.push(mailbox);
  }
  const uri: string[] = [];
  for (const written of uriHosts) {
    const host = written.endsWith(']') ? written : withoutPort(written);
    if (host === '' || host.includes(':') || host.startsWith('[') || parseIp(host) !== undefined)
      return 'a URI without a host name cannot be matched against constraints';
    uri.push(host);
  }
  return { dns, email: mailboxes, uri, ip };
}

function problemWith({ permitted, excluded }: NameConstraints, names: CheckedNames): string | undefined {
  if (names.ip.length * (permitted.ip.length + excluded.ip.length) > maxComparisons) return 'too many constraints';
  return (
    firstProblem(
      'IP address',
      names.ip,
      permitted.ip,
      excluded.ip,
      (networks) => (address) => networks.some((network) => isWithin(address, network)),
    ) ??
    firstProblem('DNS name', names.dns, permitted.dns, excluded.dns, domainMatcher) ??
    firstProblem('URI', names.uri, permitted.uri, excluded.uri, domainMatcher) ??
    firstProblem('email address', names.email, permitted.email, excluded.email, mailboxMatcher)
  );
}

function firstProblem<Name, Constraint>(
  kind: string,
  names: readonly Name[],
  permitted: readonly Constraint[],
  excluded: readonly Constraint[],
  matcher: (constraints: readonly Constraint[], isExcluded: boolean) => (name: Name) => boolean,
): string | undefined {
  if (names.length === 0) return undefined;
  const isPermitted = permitted.length === 0 ? () => true : matcher(permitted, false);
  const isExcluded = excluded.length === 0 ? () => false : matcher(excluded, true);
  if (!names.every(isPermitted)) return `${kind} is not permitted by any constraint`;
  return names.some(isExcluded) ? `${kind} is excluded by a constraint` : undefined;
}

/** As in Go, a wildcard is one in every kind of name that has a domain. */
function domainMatcher(constraints: readonly string[], isExcluded: boolean): (name: string) => boolean {
  const domains = new DomainSet(constraints);
  return (name) => domains.has(name) || (isExcluded && domains.hasBelow(name));
}

function mailboxMatcher(constraints: readonly string[], isExcluded: boolean): (name: Mailbox) => boolean {
  const isInDomain = domainMatcher(
    constraints.filter((text) => !text.includes('@')),
    isExcluded,
  );
  const exact = new Set(constraints.map(parseMailbox).map((mailbox) => mailbox && addressOf(mailbox)));
  return (mailbox) => exact.has(addressOf(mailbox)) || isInDomain(mailbox.domain);
}

/** The local part may contain `@`, and a domain may not. */
const addressOf = ({ local, domain }: Mailbox): string => `${local}@${domain}`;

/** Longer names than DNS has are not looked up, so that the work is linear in the number of names. */
const maxDomainLength = 1000;

/** Domains with everything below them; with a leading dot only what is below. An empty text is every domain. */
class DomainSet {
  readonly #domains: ReadonlySet<string>;
  /** What a wildcard may stand before to cover one of the domains; made for the first wildcard. */
  #parents: ReadonlySet<string> | undefined;

  constructor(domains: readonly string[]) {
    this.#domains = new Set(domains.map((domain) => domain.toLowerCase()));
  }

  has(name: string): boolean {
    if (this.#domains.has('')) return true;
    let rest = name.toLowerCase().slice(-maxDomainLength);
    if (name.length <= maxDomainLength && this.#domains.has(rest)) return true;
    for (let dot = rest.indexOf('.'); dot >= 0; dot = rest.indexOf('.')) {
      if (this.#domains.has(rest.slice(dot)) || this.#domains.has(rest.slice(dot + 1))) return true;
      rest = rest.slice(dot + 1);
    }
    return false;
  }

  /** Whether a name that begins with a wildcard covers one of the domains. */
  hasBelow(name: string): boolean {
    if (!name.startsWith('*')) return false;
    this.#parents ??= new Set([...this.#domains].filter((domain) => domain.includes('.')).map(afterLabel));
    return this.#parents.has(name.slice(Math.max(name.indexOf('.'), 1)).toLowerCase());
  }
}

const afterLabel = (domain: string): string => domain.slice(domain.indexOf('.'));

function isWithin(address: Buffer, network: Network): boolean {
  if (address.length !== network.address.length) return false;
  const [plain, base] = [withoutMapping(address), withoutMapping(network.address)];
  if (plain.length !== base.length) return false;
  const mask = network.mask.subarray(-plain.length);
  return plain.every((byte, i) => (byte & (mask[i] ?? 0)) === ((base[i] ?? 0) & (mask[i] ?? 0)));
}

const mapping = Buffer.from('00000000000000000000ffff', 'hex');

/** An IPv4 address in the form of an IPv6 address counts as IPv4. */
const withoutMapping = (address: Buffer): Buffer =>
  address.length === 16 && address.subarray(0, 12).equals(mapping) ? address.subarray(12) : address;

/** A host without the port behind the last colon. */
const withoutPort = (host: string): string => (host.includes(':') ? host.slice(0, host.lastIndexOf(':')) : host);
