import { JOSEError, JWKSMultipleMatchingKeys } from 'jose/errors';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { isKeyError, verifies, type ParsedToken } from '../service-account/jwt.ts';
import type { FetchJson } from './fetch.ts';

const defaultTimeoutMs = 5_000;

/** So many reads within so long: tokens that nobody has signed must not have a provider asked without end. */
const maxReads = 5;
const readWindowMs = 10_000;

type KeySet = ReturnType<typeof createRemoteJWKSet>;
type PublicKey = Awaited<ReturnType<KeySet>>;

/** The keys that a provider publishes (https://www.rfc-editor.org/rfc/rfc7517), read again when a token is signed with none of them. */
export class ProviderKeys {
  readonly #keySet: KeySet;
  readonly #reads: number[] = [];
  #areKnown = false;

  /** `timeoutMs`: how long a provider that does not answer keeps a token's request waiting. */
  constructor(url: string, fetch: FetchJson, timeoutMs = defaultTimeoutMs) {
    this.#keySet = createRemoteJWKSet(new URL(url), {
      // Only `isSigned` decides when they are read.
      cooldownDuration: Infinity,
      cacheMaxAge: Infinity,
      timeoutDuration: timeoutMs,
      [customFetch]: async (_url, { signal }) => Response.json(await fetch(url, signal)),
    });
  }

  /** Rejects with Error when the keys have to be read and cannot be. */
  async isSigned(token: ParsedToken): Promise<boolean> {
    if (this.#areKnown && (await this.#isSignedByKnown(token))) return true;
    return (await this.#read()) && this.#isSignedByKnown(token);
  }

  async #isSignedByKnown(token: ParsedToken): Promise<boolean> {
    const algorithm = String(token.header['alg']);
    for await (const key of this.#candidates(token, algorithm)) if (await verifies(token, key, algorithm)) return true;
    return false;
  }

  /** The keys that the token may be signed with; those that are wrong in themselves are left out. */
  async *#candidates({ header: { kid } }: ParsedToken, alg: string): AsyncGenerator<PublicKey> {
    try {
      yield await this.#keySet({ alg, ...(typeof kid === 'string' && kid !== '' ? { kid } : {}) });
    } catch (error) {
      if (error instanceof JWKSMultipleMatchingKeys) yield* error;
      else if (!(error instanceof JOSEError) && !isKeyError(error)) throw error;
    }
  }

  /** Whether they have been read anew. Reads that are asked for while one is under way are that one. */
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
