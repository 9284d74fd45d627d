import type { AuthenticatedToken, TokenAuthenticator } from './token.ts';

/** The authenticator in effect; another one may take its place while requests come in. */
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
