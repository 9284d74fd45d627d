import { currentTime, goQuote } from '@apichain/meta';
import { parseToken, type ParsedToken } from '../service-account/jwt.ts';
import type { AuthenticatedToken, TokenAuthenticator } from '../token.ts';
import type { OidcProvider } from './provider.ts';

export interface OidcOptions {
  readonly issuer: string;
  /** Whom tokens must be meant for. */
  readonly clientId: string;
  readonly usernameClaim: string;
  /** What goes before the name; `''` = nothing. */
  readonly usernamePrefix: string;
  /** `''` = no groups. */
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  /** Claims that must be there with these values. */
  readonly requiredClaims: ReadonlyMap<string, string>;
  readonly algorithms: readonly string[];
  readonly provider: OidcProvider;
  /** What this API calls itself. */
  readonly apiAudiences: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;
/** A provider's clock may be that much ahead. */
const leewaySeconds = 300;

/**
 * `--oidc-issuer-url`: ID tokens of an OpenID provider.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens
 */
export class OidcTokenAuthenticator implements TokenAuthenticator {
  readonly #options: OidcOptions;

  constructor(options: OidcOptions) {
    this.#options = options;
  }

  async authenticateToken(token: string, asked?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    const { issuer, provider, apiAudiences } = this.#options;
    const parsed = parseToken(token);
    if (parsed === undefined || parsed.claims['iss'] !== issuer) return undefined;
    // These tokens say nothing of API servers: they are for this one.
    const audiences = apiAudiences.filter((audience) => asked === undefined || asked.includes(audience));
    if (audiences.length === 0 && asked !== undefined) return undefined;
    if (!provider.isKnown) throw new Error('oidc: authenticator not initialized');
    await this.#verify(parsed);
    const { claims } = parsed;
    const user = { name: this.#username(claims), uid: '', groups: this.#groups(claims), extra: extraOf(claims) };
    this.#checkRequired(claims);
    return { user, audiences };
  }

  async #verify(token: ParsedToken): Promise<void> {
    const { algorithms, provider, clientId } = this.#options;
    try {
      const algorithm = String(token.header['alg']);
      if (!algorithms.includes(algorithm))
        throw new Error(
          `oidc: malformed jwt: unexpected signature algorithm ${goQuote(algorithm)}; expected [${algorithms.map(goQuote).join(' ')}]`,
        );
      checkTimes(token.claims);
      await provider.verify(token);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`oidc: verify token: ${reason}`, { cause: error });
    }
    const { aud } = token.claims;
    const audiences = Array.isArray(aud) ? aud.map(String) : typeof aud === 'string' ? [aud] : [];
    if (!audiences.includes(clientId))
      throw new Error(
        `oidc: verify token: oidc: expected audience in [${goQuote(clientId)}] got [${audiences.map(goQuote).join(' ')}]`,
      );
  }

  #username(claims: Claims): string {
    const { usernameClaim: name, usernamePrefix } = this.#options;
    const value = claims[name];
    const problem = textProblem(value);
    if (problem !== undefined) throw new Error(`oidc: parse username claims ${goQuote(name)}: ${problem}`);
    if (name === 'email' && 'email_verified' in claims && claims['email_verified'] !== true)
      throw new Error('oidc: email not verified');
    return `${usernamePrefix}${String(value)}`;
  }

  #groups(claims: Claims): string[] {
    const { groupsClaim: name, groupsPrefix } = this.#options;
    const value = name === '' ? undefined : claims[name];
    if (value === undefined || value === null) return [];
    const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
    const bad = groups.find((group) => typeof group !== 'string');
    if (bad !== undefined) throw new Error(`oidc: parse groups claim ${goQuote(name)}: ${textProblem(value) ?? ''}`);
    return groups.map((group) => `${groupsPrefix}${String(group)}`);
  }

  #checkRequired(claims: Claims): void {
    for (const [name, wanted] of this.#options.requiredClaims) {
      if (!(name in claims)) throw new Error(`oidc: required claim ${name} not present in ID token`);
      const value = claims[name];
      const problem = textProblem(value);
      if (problem !== undefined) throw new Error(`oidc: parse claim ${name}: ${problem}`);
      if (value !== wanted)
        throw new Error(`oidc: required claim ${name} value does not match. Got = ${String(value)}, want = ${wanted}`);
    }
  }
}

function textProblem(value: unknown): string | undefined {
  if (typeof value === 'string') return undefined;
  if (value === undefined) return 'claim not present';
  const shape = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${shape} into Go value of type string`;
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

/** Which token it was, for audit events and reviews. */
const extraOf = ({ jti }: Claims): Readonly<Record<string, readonly string[]>> =>
  typeof jti === 'string' && jti !== '' ? { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] } : {};
