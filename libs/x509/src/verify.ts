import type { X509Certificate } from 'node:crypto';
import { readCertificate, type Certificate } from './certificate.ts';
import { nameConstraintProblem } from './name-constraints.ts';
import { arePoliciesValid } from './policies.ts';

/** The extended key usages for which chains are verified. */
export const usages = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;
const anyUsage = '2.5.29.37.0';
const keyCertSign = 1 << 5;

/** How many signatures are verified for one chain at most. */
const maxSignatures = 100;
/** How many certificates are considered as issuers at most. */
const maxCandidates = 1000;

/** Certificates that are trusted, whatever their own issuer is. */
export class TrustedCertificates {
  readonly #bySubject: ReadonlyMap<string, readonly Certificate[]>;
  readonly #fingerprints: ReadonlySet<string>;
  readonly size: number;

  /** Those that are not well-formed are left out, as in Go. */
  constructor(certificates: readonly X509Certificate[]) {
    const readable = certificates.flatMap((certificate) => readableOf(certificate) ?? []);
    this.#bySubject = Map.groupBy(readable, ({ subject }) => subject);
    this.#fingerprints = new Set(readable.map(({ x509 }) => x509.fingerprint256));
    this.size = readable.length;
  }

  has({ x509 }: Certificate): boolean {
    return this.#fingerprints.has(x509.fingerprint256);
  }

  issuersOf({ issuer }: Certificate): readonly Certificate[] {
    return this.#bySubject.get(issuer) ?? [];
  }

  *[Symbol.iterator](): Iterator<Certificate> {
    for (const certificates of this.#bySubject.values()) yield* certificates;
  }
}

function readableOf(certificate: X509Certificate): Certificate | undefined {
  try {
    return readCertificate(certificate);
  } catch {
    return undefined;
  }
}

/** The result of a verification: why there is no valid chain, and until when (in milliseconds since the epoch) that stays true. */
export interface Verdict {
  /** Undefined when there is a valid chain. */
  readonly problem: string | undefined;
  readonly until: number;
}

/**
 * Verifies that a certificate chains to a trusted one, for one extended key usage: RFC 5280, section 6, with the decisions of Go's x509.Verify.
 * `presented` is what the peer sent: its certificate and others in any order, of which chains are made. Paths are found by names; signatures are
 * verified from the trusted certificate downwards, so that no key is used that nobody vouches for.
 * https://pkg.go.dev/crypto/x509#Certificate.Verify
 */
export function verifyChain(
  presented: readonly X509Certificate[],
  trusted: TrustedCertificates,
  usage: string,
  now = Date.now(),
): Verdict {
  try {
    const [leaf, ...others] = presented.map(readCertificate);
    if (leaf === undefined) return { problem: 'x509: no certificate', until: Infinity };
    const problem = new PathSearch(leaf, others, trusted, usage, now).problem();
    return { problem, until: nextChange([leaf, ...others, ...trusted], now) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { problem: error.message, until: Infinity };
  }
}

/** The next time at which a certificate begins or ceases to be valid: until then, the verdict stays. */
function nextChange(certificates: readonly Certificate[], now: number): number {
  let next = Infinity;
  for (const { notBefore, notAfter } of certificates)
    for (const time of [notBefore, notAfter + 1]) if (time > now && time < next) next = time;
  return next;
}

class PathSearch {
  readonly #leaf: Certificate;
  readonly #intermediates: ReadonlyMap<string, readonly Certificate[]>;
  readonly #trusted: TrustedCertificates;
  readonly #usage: string;
  readonly #now: number;
  readonly #signatures = new Map<Certificate, Map<Certificate, boolean>>();
  #verified = 0;
  #candidates = 0;
  #problem: string | undefined;

  constructor(
    leaf: Certificate,
    others: readonly Certificate[],
    trusted: TrustedCertificates,
    usage: string,
    now: number,
  ) {
    this.#leaf = leaf;
    const distinct = new Map(others.map((certificate) => [certificate.x509.fingerprint256, certificate]));
    this.#intermediates = Map.groupBy(distinct.values(), ({ subject }) => subject);
    this.#trusted = trusted;
    this.#usage = usage;
    this.#now = now;
  }

  problem(): string | undefined {
    const problem = this.#problemOf(this.#leaf, []);
    if (problem !== undefined) return problem;
    if (this.#leaf.key.algorithm === 'other') return 'x509: unsupported public key';
    if (this.#trusted.has(this.#leaf)) return this.#chainProblem([this.#leaf]);
    return this.#search([this.#leaf]) ? undefined : (this.#problem ?? 'x509: certificate signed by unknown authority');
  }

  /** Whether the beginning of a chain can be continued to a valid one. Its signatures are verified when a trusted certificate is reached. */
  #search(chain: readonly Certificate[]): boolean {
    const last = chain.at(-1);
    if (last === undefined) return false;
    for (const root of byKeyId(last, this.#trusted.issuersOf(last))) {
      if (this.#accepts(root, chain, true) && this.#isSigned([...chain, root])) {
        const problem = this.#chainProblem([...chain, root]);
        if (problem === undefined) return true;
        this.#problem ??= problem;
      }
    }
    for (const issuer of byKeyId(last, this.#intermediates.get(last.issuer) ?? []))
      if (this.#accepts(issuer, chain, false) && this.#search([...chain, issuer])) return true;
    return false;
  }

  #accepts(candidate: Certificate, chain: readonly Certificate[], isTrusted: boolean): boolean {
    if (++this.#candidates > maxCandidates) throw new Error('x509: too many certificates to choose from');
    const child = chain.at(-1);
    if (child === undefined || isIn(candidate, chain) || this.#signatures.get(child)?.get(candidate) === false)
      return false;
    const problem = signingProblem(candidate, child, isTrusted) ?? this.#problemOf(candidate, chain);
    if (problem !== undefined) this.#problem ??= problem;
    return problem === undefined;
  }

  /** Why a certificate cannot follow the given ones in a chain. */
  #problemOf({ extensions, notBefore, notAfter }: Certificate, below: readonly Certificate[]): string | undefined {
    if (extensions.hasUnhandledCritical) return 'x509: unhandled critical extension';
    if (this.#now < notBefore || this.#now > notAfter) return 'x509: certificate has expired or is not yet valid';
    const { maxPathLength = Infinity } = extensions.basicConstraints ?? {};
    if (below.length - 1 > maxPathLength) return 'x509: too many intermediates for path length constraint';
    return undefined;
  }

  #isSigned(chain: readonly Certificate[]): boolean {
    for (let i = chain.length - 1; i > 0; i--) {
      const [child, issuer] = [chain[i - 1], chain[i]];
      if (child === undefined || issuer === undefined || !this.#isSignedBy(child, issuer)) return false;
    }
    return true;
  }

  #isSignedBy(child: Certificate, issuer: Certificate): boolean {
    let byIssuer = this.#signatures.get(child);
    if (byIssuer === undefined) this.#signatures.set(child, (byIssuer = new Map<Certificate, boolean>()));
    let isValid = byIssuer.get(issuer);
    if (isValid === undefined) {
      if (++this.#verified > maxSignatures)
        throw new Error('x509: signature check attempts limit reached while verifying certificate chain');
      isValid = child.x509.verify(issuer.x509.publicKey);
      byIssuer.set(issuer, isValid);
    }
    return isValid;
  }

  /** Why a chain of valid certificates is not valid as a whole. */
  #chainProblem(chain: readonly Certificate[]): string | undefined {
    if (!arePoliciesValid(chain)) return 'x509: no valid chains built: invalid policies';
    if (!chain.every((certificate) => permits(certificate, this.#usage)))
      return 'x509: certificate specifies an incompatible key usage';
    const problem = nameConstraintProblem(chain.map(({ extensions }) => extensions));
    if (problem === undefined) return undefined;
    return `x509: a root or intermediate certificate is not authorized to sign for this name: ${problem}`;
  }
}

/** A CA that lists usages restricts the certificates below it to them. */
function permits({ extensions: { extendedKeyUsages = [] } }: Certificate, usage: string): boolean {
  return extendedKeyUsages.length === 0 || extendedKeyUsages.includes(usage) || extendedKeyUsages.includes(anyUsage);
}

/** Why a certificate may not sign another, whatever its signature is. Certificates before version 3 have no extension that forbids it. */
function signingProblem(issuer: Certificate, child: Certificate, isTrusted: boolean): string | undefined {
  const { basicConstraints, keyUsage = 0 } = issuer.extensions;
  const isCA = basicConstraints?.isCA ?? (isTrusted && issuer.version < 3);
  if (!isCA || (keyUsage !== 0 && (keyUsage & keyCertSign) === 0))
    return 'x509: certificate is not authorized to sign other certificates';
  if (child.signature === undefined) return 'x509: signature algorithm is not supported or insecure';
  if (!issuer.key.verifies || issuer.key.algorithm !== child.signature)
    return 'x509: public key does not fit the signature';
  return undefined;
}

/** Whether a chain has the certificate, or another one for the same name, key and alternative names, which would be a loop. */
const isIn = (candidate: Certificate, chain: readonly Certificate[]): boolean =>
  chain.some(
    ({ subject, publicKey, extensions }) =>
      subject === candidate.subject &&
      publicKey === candidate.publicKey &&
      areEqual(extensions.alternativeNamesValue, candidate.extensions.alternativeNamesValue),
  );

const areEqual = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.equals(b);

/** The likely issuers first: those whose key identifier the certificate names, then those that have none. */
function byKeyId({ extensions: { authorityKeyId = '' } }: Certificate, issuers: readonly Certificate[]): Certificate[] {
  const ranks: [Certificate[], Certificate[], Certificate[]] = [[], [], []];
  for (const issuer of issuers) {
    const { subjectKeyId = '' } = issuer.extensions;
    if (subjectKeyId === authorityKeyId) ranks[0].push(issuer);
    else if (subjectKeyId === '' || authorityKeyId === '') ranks[1].push(issuer);
    else ranks[2].push(issuer);
  }
  return ranks.flat();
}
