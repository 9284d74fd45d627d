import { BoundedCache, errorMessage, isRecord } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { parseToken } from '../service-account/jwt.ts';
import { asText } from '@apichain/scheme';
import type { Claims } from '../claims.ts';
import type { FetchJson, FetchText } from './fetch.ts';
import { OidcProvider } from './provider.ts';
import { verifyToken, type VerifierOptions } from './token-verifier.ts';

/** Fetches distributed claims: the tokens that contain them, and the discovery documents of their issuers. */
export interface ClaimSources {
  readonly fetchText: FetchText;
  readonly fetchJson: FetchJson;
}

/** The number of issuers of distributed claims that are cached. */
const maxIssuers = 64;

/**
 * A claim that the token does not contain but refers to: it is in a token of another issuer.
 * https://openid.net/specs/openid-connect-core-1_0.html#AggregatedDistributedClaims
 */
export class DistributedClaim {
  readonly #claim: string;
  readonly #sources: ClaimSources;
  readonly #verifier: Omit<VerifierOptions, 'provider'>;
  readonly #providers = new BoundedCache<OidcProvider>({ maxEntries: maxIssuers });

  constructor(claim: string, sources: ClaimSources, verifier: Omit<VerifierOptions, 'provider'>) {
    this.#claim = claim;
    this.#sources = sources;
    this.#verifier = verifier;
  }

  /** The claims, including this one. Rejects with Error when the token refers to the claim and it cannot be fetched. */
  async expand(claims: Claims): Promise<Claims> {
    const names = claims['_claim_names'];
    if (Object.hasOwn(claims, this.#claim) || names === undefined) return claims;
    if (!isRecord(names)) throw new Error('oidc: error parsing distributed claim names: it is no object');
    const sources = claims['_claim_sources'];
    if (sources === undefined) throw new Error('oidc: no claim sources');
    if (!isRecord(sources)) throw new Error('oidc: could not parse claim sources: it is no object');
    if (!Object.hasOwn(names, this.#claim)) return claims;
    const source = String(names[this.#claim]);
    if (!Object.hasOwn(sources, source))
      throw new Error(`id token _claim_names contained a source ${source} missing in _claims_sources`);
    const endpoint = sources[source];
    const { endpoint: url = '', access_token: accessToken = '' } = isRecord(endpoint) ? endpoint : {};
    if (asText(url) === '') return claims;
    return { ...claims, [this.#claim]: await this.#resolve(asText(url), asText(accessToken)) };
  }

  async #resolve(url: string, accessToken: string): Promise<unknown> {
    const text = await this.#fetch(url, accessToken);
    const token = parseToken(text.trim());
    if (token === undefined)
      throw new Error(
        `getting untrusted issuer from endpoint ${url} failed for claim ${goQuote(this.#claim)}: malformed token`,
      );
    const provider = await this.#providerOf(asText(token.claims['iss'] ?? ''));
    try {
      await verifyToken(token, { ...this.#verifier, provider });
    } catch (error) {
      throw new Error(`verify distributed claim token: ${errorMessage(error)}`, { cause: error });
    }
    if (Object.hasOwn(token.claims, this.#claim)) return token.claims[this.#claim];
    throw new Error(`jwt returned by distributed claim endpoint ${goQuote(url)} did not contain claim: ${this.#claim}`);
  }

  async #fetch(url: string, accessToken: string): Promise<string> {
    try {
      return await this.#sources.fetchText(url, accessToken === '' ? undefined : accessToken);
    } catch (error) {
      throw new Error(`while getting distributed claim ${goQuote(this.#claim)}: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }

  async #providerOf(issuer: string): Promise<OidcProvider> {
    let provider = this.#providers.get(issuer);
    if (provider === undefined) {
      provider = new OidcProvider({ issuer, fetch: this.#sources.fetchJson });
      this.#providers.set(issuer, provider);
    }
    let cause: unknown;
    if (!provider.isKnown) {
      try {
        await provider.tryDiscover();
      } catch (error) {
        cause = error;
      }
    }
    if (provider.isKnown) return provider;
    throw new Error(
      `verifying untrusted issuer ${issuer} failed: verifier not initialized for issuer: ${goQuote(issuer)}`,
      { cause },
    );
  }
}
