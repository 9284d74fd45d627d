import { goQuote } from '@apichain/go-text';
import { errorMessage, sleep } from '@apichain/meta';
import type { ParsedToken } from '../service-account/jwt.ts';
import type { FetchJson } from './fetch.ts';
import { ProviderKeys } from './provider-keys.ts';

interface ProviderOptions {
  readonly issuer: string;
  /** The URL of the discovery document, when it is not below the issuer's URL. */
  readonly discoveryUrl?: string;
  readonly fetch: FetchJson;
}

const retryMs = 10_000;

/**
 * An OpenID provider: its discovery document and its keys. The keys are read again when no known key has signed a token.
 * https://openid.net/specs/openid-connect-discovery-1_0.html
 */
export class OidcProvider {
  readonly #issuer: string;
  readonly #discoveryUrl: string;
  readonly #fetch: FetchJson;
  #problem: string | undefined;
  #keys: ProviderKeys | undefined;

  constructor({ issuer, discoveryUrl, fetch }: ProviderOptions) {
    this.#issuer = issuer;
    this.#discoveryUrl = discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    this.#fetch = fetch;
    this.#problem = `oidc: authenticator for issuer ${goQuote(issuer)} is not initialized`;
  }

  /** Why tokens of the provider are still refused; undefined once discovery has succeeded. */
  get problem(): string | undefined {
    if (this.#problem === undefined) return undefined;
    return `oidc: authenticator for issuer ${goQuote(this.#issuer)} is not healthy: ${this.#problem}`;
  }

  get isKnown(): boolean {
    return this.#keys !== undefined;
  }

  /** Repeats discovery until it succeeds or the signal aborts. `onError` receives every failure. */
  async discover(signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    while (!signal.aborted && !this.isKnown) {
      try {
        await this.tryDiscover();
      } catch (error) {
        onError(error);
        await sleep(retryMs, signal, { ref: false });
      }
    }
  }

  /** Tries discovery once. Rejects with Error when it fails. */
  async tryDiscover(): Promise<void> {
    try {
      this.#keys = new ProviderKeys(await this.#discover(), this.#fetch);
      this.#problem = undefined;
    } catch (error) {
      this.#problem = errorMessage(error);
      throw error;
    }
  }

  /** Rejects with Error when no key of the provider has signed the token. */
  async verify(token: ParsedToken): Promise<void> {
    if (!(await this.#isSigned(token)))
      throw new Error('failed to verify signature: failed to verify id token signature');
  }

  async #isSigned(token: ParsedToken): Promise<boolean> {
    try {
      return (await this.#keys?.isSigned(token)) === true;
    } catch (error) {
      const reason = errorMessage(error);
      throw new Error(`failed to verify signature: fetching keys ${reason}`, { cause: error });
    }
  }

  async #discover(): Promise<string> {
    const document = await this.#fetch(this.#discoveryUrl);
    const { issuer, jwks_uri: keysUrl } = (document ?? {}) as Readonly<Record<string, unknown>>;
    if (issuer !== this.#issuer)
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${goQuote(this.#issuer)} got ${goQuote(String(issuer))}`,
      );
    if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl)) throw new Error('provider did not return JWKS URL');
    return keysUrl;
  }
}
