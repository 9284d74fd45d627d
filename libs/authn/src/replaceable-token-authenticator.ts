import type { AuthenticatedToken, TokenAuthenticator } from './token.ts';

/** The current authenticator, which can be replaced while requests are served. */
export class ReplaceableTokenAuthenticator implements TokenAuthenticator {
  #current: TokenAuthenticator;

  constructor(first: TokenAuthenticator) {
    this.#current = first;
  }

  replace(next: TokenAuthenticator): void {
    this.#current = next;
  }

  authenticateToken(
    token: string,
    audiences?: readonly string[],
  ): Promise<AuthenticatedToken | undefined> | AuthenticatedToken | undefined {
    return this.#current.authenticateToken(token, audiences);
  }
}
