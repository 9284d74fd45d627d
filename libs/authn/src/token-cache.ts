import type { AuthenticatedToken, TokenAuthenticator } from './token.ts';

interface Entry {
  readonly answer: AuthenticatedToken;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const defaultLifetimeMs = 10_000;
const maxEntries = 4_096;

/** Remembers valid tokens for ten seconds, as kube-apiserver does, or as long as it is told; refusals are not remembered. */
export class CachedTokenAuthenticator implements TokenAuthenticator {
  readonly #inner: TokenAuthenticator;
  readonly #lifetimeMs: number;
  readonly #entries = new Map<string, Entry>();

  constructor(inner: TokenAuthenticator, lifetimeMs = defaultLifetimeMs) {
    this.#inner = inner;
    this.#lifetimeMs = lifetimeMs;
  }

  authenticateToken(
    token: string,
    audiences?: readonly string[],
  ): Promise<AuthenticatedToken | undefined> | AuthenticatedToken | undefined {
    const key = audiences === undefined ? token : `${token} ${audiences.join(' ')}`;
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > Date.now()) return known.answer;
    this.#entries.delete(key);
    return this.#ask(key, token, audiences);
  }

  async #ask(key: string, token: string, audiences?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    const answer = await this.#inner.authenticateToken(token, audiences);
    if (answer === undefined) return undefined;
    if (this.#entries.size >= maxEntries) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, { answer, until: Date.now() + this.#lifetimeMs });
    return answer;
  }
}
