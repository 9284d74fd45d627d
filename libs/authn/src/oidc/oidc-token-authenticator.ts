import { errorMessage } from '@apichain/meta';
import { parseToken } from '../service-account/jwt.ts';
import type { AuthenticatedToken, TokenAuthenticator } from '../token.ts';
import type { JwtAuthenticator } from './authentication-configuration.ts';
import { ClaimMapping } from './claim-mapping.ts';
import { DistributedClaim, type ClaimSources } from './distributed-claims.ts';
import type { OidcProvider } from './provider.ts';
import { verifyToken } from './token-verifier.ts';

export interface OidcOptions {
  readonly configuration: JwtAuthenticator;
  readonly algorithms: readonly string[];
  readonly provider: OidcProvider;
  /** Fetches distributed groups. Absent = distributed groups are not fetched. */
  readonly sources?: ClaimSources;
  /** The audiences of this API server. */
  readonly apiAudiences: readonly string[];
}

/** Tokens of Google may name their issuer without a scheme. */
const issuerAliases: ReadonlyMap<unknown, string> = new Map([['accounts.google.com', 'https://accounts.google.com']]);

/**
 * ID tokens of an OpenID provider: of `--oidc-issuer-url`, or of an issuer of `--authentication-config`.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens
 */
export class OidcTokenAuthenticator implements TokenAuthenticator {
  readonly #options: OidcOptions;
  readonly #mapping: ClaimMapping;
  readonly #distributed: DistributedClaim | undefined;

  /** Throws Error when an expression does not compile. */
  constructor(options: OidcOptions) {
    this.#options = options;
    const { configuration, sources, algorithms } = options;
    this.#mapping = new ClaimMapping(configuration);
    const { claim } = configuration.claimMappings.groups;
    if (claim !== '' && sources !== undefined) {
      const { audiences } = configuration.issuer;
      this.#distributed = new DistributedClaim(claim, sources, { algorithms, audiences });
    }
  }

  async authenticateToken(token: string, asked?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    const { configuration, provider, algorithms, apiAudiences } = this.#options;
    const { url, audiences: wanted } = configuration.issuer;
    const parsed = parseToken(token);
    if (parsed === undefined) return undefined;
    const { iss } = parsed.claims;
    if ((issuerAliases.get(iss) ?? iss) !== url) return undefined;
    // These tokens do not name API audiences, so they are valid for all audiences of this server.
    const audiences = apiAudiences.filter((audience) => asked === undefined || asked.includes(audience));
    if (audiences.length === 0 && asked !== undefined) return undefined;
    if (!provider.isKnown) throw new Error('oidc: authenticator not initialized');
    await within('oidc: verify token', verifyToken(parsed, { provider, algorithms, audiences: wanted }));
    const claims =
      this.#distributed === undefined
        ? parsed.claims
        : await within('oidc: could not expand distributed claims', this.#distributed.expand(parsed.claims));
    const { exp } = parsed.claims;
    const expiry = typeof exp === 'number' ? { expiresAt: exp * 1000 } : {};
    return { user: this.#mapping.userOf(claims), audiences, ...expiry };
  }
}

async function within<Result>(context: string, result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw new Error(`${context}: ${errorMessage(error)}`, { cause: error });
  }
}
