import { currentTime, errorMessage, isRecord } from '@apichain/meta';
import { formatGoTime, goQuote, goQuoteAll } from '@apichain/go-text';
import { asText } from '@apichain/scheme';
import type { ParsedToken } from '../service-account/jwt.ts';
import type { Claims } from '../claims.ts';
import { decodeIdToken, type IdToken } from './id-token.ts';
import type { OidcProvider } from './provider.ts';

/** The clock of a provider may be ahead by this much. */
const leewaySeconds = 60;

export interface VerifierOptions {
  readonly provider: OidcProvider;
  readonly algorithms: readonly string[];
  /** A token must be issued for at least one of these audiences. */
  readonly audiences: readonly string[];
}

/** Throws Error unless a token is signed by the provider, issued for this API, and currently valid. After github.com/coreos/go-oidc. */
export async function verifyToken(token: ParsedToken, options: VerifierOptions): Promise<void> {
  const { algorithms, provider, audiences } = options;
  if (token.headerProblem !== undefined) throw new Error(`oidc: malformed jwt: ${token.headerProblem}`);
  const algorithm = asText(token.header['alg']);
  if (!algorithms.includes(algorithm))
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${goQuoteAll(algorithms)} got ${goQuote(algorithm)}`,
    );
  await provider.verify(token);
  const idToken = decoded(token.claims);
  checkSources(token.claims);
  checkAudience(idToken, audiences);
  checkTimes(idToken);
}

function decoded(claims: Claims): IdToken {
  try {
    return decodeIdToken(claims);
  } catch (error) {
    throw new Error(`oidc: failed to unmarshal claims: ${errorMessage(error)}`, { cause: error });
  }
}

/** Every distributed claim must name one of the sources. */
function checkSources({ _claim_names: names, _claim_sources: sources }: Claims): void {
  for (const source of isRecord(names) ? Object.values(names) : []) {
    if (source === '' || source === null) throw new Error('oidc: failed to obtain source from claim name');
    if (!isRecord(sources) || !Object.hasOwn(sources, asText(source))) throw new Error('oidc: source does not exist');
  }
}

function checkAudience({ audiences: given }: IdToken, wanted: readonly string[]): void {
  if (wanted.some((audience) => given.includes(audience))) return;
  const [first = ''] = wanted;
  const expected = wanted.length === 1 ? goQuote(first) : `in ${goQuoteAll([...wanted].sort())}`;
  throw new Error(`oidc: expected audience ${expected} got ${goQuoteAll(given)}`);
}

/** The zero time of Go, which is the expiry of a token that names none: the start of the year 1. */
const zeroTime = -62_135_596_800;

function checkTimes({ expires = zeroTime, notBefore }: IdToken): void {
  const now = currentTime() / 1000;
  if (expires < now) throw new Error(`oidc: token is expired (Token Expiry: ${formatGoTime(expires)})`);
  if (notBefore !== undefined && now + leewaySeconds < notBefore)
    throw new Error(
      `oidc: current time ${formatGoTime(now)} before the nbf (not before) time: ${formatGoTime(notBefore)}`,
    );
}
