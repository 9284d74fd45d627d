import type { Claims } from '../claims.ts';
import { joinedError } from '../unavailable.ts';
import { decodeRegisteredClaims, type RegisteredClaims } from './claims.ts';
import { isSignedBy, type ParsedToken, parseToken } from './jwt.ts';
import type { VerificationKey } from './keys.ts';
import { goQuoteAll } from '@apichain/go-text';

/** How often tokens of service accounts were used, for the metrics. A token that a cache still knows is not counted again. */
export class ServiceAccountTokenCounts {
  /** Tokens without audiences, which are stored in Secrets. */
  legacy = 0;
  /** Stored tokens that users made. */
  manual = 0;
  /** Stored tokens that a controller made. */
  generated = 0;
  /** Stored tokens that were marked as invalid. */
  invalidated = 0;
  /** Tokens of pods that should have been renewed by their clients. */
  stale = 0;
  /** Other tokens of pods whose expiry was extended. */
  valid = 0;
}

/**
 * The wanted audiences that a token is issued for, in the order of `wanted`. Throws Error when there are none. After pkg/serviceaccount/jwt.go of
 * Kubernetes.
 */
function commonAudiences(own: readonly string[], wanted: readonly string[]): string[] {
  const owned = new Set(own);
  const audiences = wanted.filter((audience) => owned.has(audience));
  if (audiences.length > 0) return audiences;
  throw new Error(`token audiences ${goQuoteAll(own)} is invalid for the target audiences ${goQuoteAll(wanted)}`);
}

export interface SignedTokenOptions {
  readonly keys: readonly VerificationKey[];
  /** The required audiences when a request does not ask for others, and those of tokens that name none. */
  readonly apiAudiences: readonly string[];
  /** Counts the uses of tokens. */
  readonly counts?: ServiceAccountTokenCounts;
}

/** A token that one of the keys has signed and that is issued for this API. Its times and what it is bound to have not been checked. */
interface VerifiedToken<Private> {
  readonly registered: RegisteredClaims;
  readonly own: Private;
  readonly audiences: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/**
 * Verifies the tokens of service accounts of some issuers. `decode` reads the claims that only these tokens have, and throws Error for a claim of
 * another type.
 */
export class SignedTokens<Private> {
  readonly #issuers: ReadonlySet<string>;
  readonly #options: SignedTokenOptions;
  readonly #decode: (claims: Claims) => Private;

  constructor(issuers: readonly string[], options: SignedTokenOptions, decode: (claims: Claims) => Private) {
    this.#issuers = new Set(issuers);
    this.#options = options;
    this.#decode = decode;
  }

  /** Undefined = not a token of these issuers. Rejects with Error when it is one that is not valid. */
  async verify(token: string, wanted?: readonly string[]): Promise<VerifiedToken<Private> | undefined> {
    const parsed = parseToken(token);
    if (parsed === undefined || parsed.headerProblem !== undefined) return undefined;
    const { iss: issuer } = parsed.claims;
    if (!this.#issuers.has(typeof issuer === 'string' ? issuer : '')) return undefined;
    const { registered, own } = await this.#claimsOf(parsed);
    const { apiAudiences, counts } = this.#options;
    const isLegacy = registered.audiences.length === 0;
    if (isLegacy && counts !== undefined) counts.legacy++;
    return {
      registered,
      own,
      audiences: commonAudiences(isLegacy ? apiAudiences : registered.audiences, wanted ?? apiAudiences),
      auditAnnotations: isLegacy ? { 'authentication.k8s.io/legacy-token': registered.subject } : {},
    };
  }

  async #claimsOf(token: ParsedToken): Promise<{ readonly registered: RegisteredClaims; readonly own: Private }> {
    const { kid } = token.header;
    const { keys } = this.#options;
    const candidates = typeof kid === 'string' && kid !== '' ? keys.filter(({ id }) => id === kid) : keys;
    if (candidates.length === 0) throw new Error('invalid signature, no keys found');
    const problems: unknown[] = [];
    for (const key of candidates)
      try {
        if (await isSignedBy(token, key))
          return { registered: decodeRegisteredClaims(token.claims), own: this.#decode(token.claims) };
        problems.push(new Error('go-jose/go-jose: error in cryptographic primitive'));
      } catch (error) {
        problems.push(error);
      }
    throw joinedError(problems);
  }
}
