import { isRecord, currentTime } from '@apichain/meta';
import { goQuote, goQuoteAll } from '@apichain/go-text';
import type { ParsedToken } from '../service-account/jwt.ts';
import { shapeOf, textsClaim, type Claims } from './claims.ts';
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
  const algorithm = String(token.header['alg']);
  if (!algorithms.includes(algorithm))
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${goQuoteAll(algorithms)} got ${goQuote(algorithm)}`,
    );
  await provider.verify(token);
  checkMembers(token.claims);
  checkAudience(token.claims, audiences);
  checkTimes(token.claims);
}

/** Checks the claims whose types are the same in every token. */
function checkMembers({ sub, _claim_names: names, _claim_sources: sources }: Claims): void {
  if (sub !== undefined && sub !== null && typeof sub !== 'string')
    throw new Error(
      `oidc: failed to unmarshal claims: json: cannot unmarshal ${shapeOf(sub)} into Go struct field idToken.sub of type string`,
    );
  for (const source of isRecord(names) ? Object.values(names) : []) {
    if (source === '') throw new Error('oidc: failed to obtain source from claim name');
    if (!isRecord(sources) || !Object.hasOwn(sources, String(source))) throw new Error('oidc: source does not exist');
  }
}

function checkAudience({ aud }: Claims, wanted: readonly string[]): void {
  const given = aud === undefined ? [] : textsClaim(aud);
  if (wanted.some((audience) => given.includes(audience))) return;
  const [first = ''] = wanted;
  const expected = wanted.length === 1 ? goQuote(first) : `in ${goQuoteAll([...wanted].sort())}`;
  throw new Error(`oidc: expected audience ${expected} got ${goQuoteAll(given)}`);
}

function checkTimes({ exp, nbf }: Claims): void {
  const now = currentTime() / 1000;
  const shown = (seconds: number) =>
    `${new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
  const expires = typeof exp === 'number' ? exp : 0;
  if (expires < now) throw new Error(`oidc: token is expired (Token Expiry: ${shown(expires)})`);
  if (typeof nbf === 'number' && now + leewaySeconds < nbf)
    throw new Error(`oidc: current time ${shown(now)} before the nbf (not before) time: ${shown(nbf)}`);
}
