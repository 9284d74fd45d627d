import { JOSEError, JWKSMultipleMatchingKeys } from 'jose/errors';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { isKeyError, verifies, type ParsedToken } from '../service-account/jwt.ts';
import type { FetchJson } from './fetch.ts';

const defaultTimeoutMs = 5_000;

/** At most this many reads per time window, so that tokens with invalid signatures cannot cause unlimited requests to a provider. */
const maxReads = 5;
const readWindowMs = 10_000;

type KeySet = ReturnType<typeof createRemoteJWKSet>;
type PublicKey = Awaited<ReturnType<KeySet>>;

/** The keys that a provider publishes (https://www.rfc-editor.org/rfc/rfc7517). They are read again when no known key has signed a token. */
export class ProviderKeys {
  readonly #keySet: KeySet;
  readonly #reads: number[] = [];
  #areKnown = false;

  /** `timeoutMs`: the longest time that an unresponsive provider delays the request of a token. */
  constructor(url: string, fetch: FetchJson, timeoutMs = defaultTimeoutMs) {
    this.#keySet = createRemoteJWKSet(new URL(url), {
      // Only `isSigned` decides when the keys are read.
      cooldownDuration: Infinity,
      cacheMaxAge: Infinity,
      timeoutDuration: timeoutMs,
      [customFetch]: async (_url, { signal }) => Response.json(await fetch(url, signal)),
    });
  }

  /** Rejects with Error when reading the keys is necessary and fails. */
  async isSigned(token: ParsedToken): Promise<boolean> {
    if (this.#areKnown && (await this.#isSignedByKnown(token))) return true;
    return (await this.#read()) && this.#isSignedByKnown(token);
  }

  async #isSignedByKnown(token: ParsedToken): Promise<boolean> {
    const algorithm = String(token.header['alg']);
    for await (const key of this.#candidates(token, algorithm)) if (await verifies(token, key, algorithm)) return true;
    return false;
  }

  /** The keys that may have signed the token. Malformed keys are left out. */
  async *#candidates({ header: { kid } }: ParsedToken, alg: string): AsyncGenerator<PublicKey> {
    try {
      yield await this.#keySet({ alg, ...(typeof kid === 'string' && kid !== '' ? { kid } : {}) });
    } catch (error) {
      if (error instanceof JWKSMultipleMatchingKeys) yield* error;
      else if (!(error instanceof JOSEError) && !isKeyError(error)) throw error;
    }
  }

  /** Whether the keys were read again. Concurrent calls share one read. */
  async #read(): Promise<boolean> {
    if (!this.#keySet.reloading) {
      const now = performance.now();
      while (this.#reads[0] !== undefined && this.#reads[0] < now - readWindowMs) this.#reads.shift();
      if (this.#reads.length >= maxReads) return false;
      this.#reads.push(now);
    }
    await this.#keySet.reload();
    this.#areKnown = true;
    return true;
  }
}
