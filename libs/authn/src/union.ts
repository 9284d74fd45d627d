import type { IncomingMessage } from 'node:http';
import type { Authenticator, UserInfo } from './authenticator.ts';
import { joinedError } from './unavailable.ts';
import { withAuthenticatedGroup } from './well-known.ts';

/**
 * Tries each authenticator in turn. The first user wins, even after another authenticator's error. When none authenticates the caller, the errors
 * are thrown together (one Error), so that an invalid credential never counts as a missing one.
 */
export class UnionAuthenticator implements Authenticator {
  readonly #authenticators: readonly Authenticator[];
  readonly #anonymous: Authenticator | undefined;

  /** `anonymous` is tried last, and only when no credential was refused. */
  constructor(authenticators: readonly Authenticator[], anonymous?: Authenticator) {
    this.#authenticators = authenticators;
    this.#anonymous = anonymous;
  }

  /** Returns without a promise when every authenticator that is tried does, which saves a tick on the hot path. */
  authenticate(request: IncomingMessage): Promise<UserInfo | undefined> | UserInfo | undefined {
    return this.#askFrom(0, request, []);
  }

  #askFrom(
    start: number,
    request: IncomingMessage,
    errors: unknown[],
  ): Promise<UserInfo | undefined> | UserInfo | undefined {
    for (let i = start; i < this.#authenticators.length; i++) {
      try {
        const authenticated = this.#authenticators[i]?.authenticate(request);
        if (authenticated instanceof Promise) return this.#awaitFrom(authenticated, i, request, errors);
        if (authenticated !== undefined) return withAuthenticatedGroup(authenticated);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw joinedError(errors);
    return this.#anonymous?.authenticate(request);
  }

  async #awaitFrom(
    authenticated: Promise<UserInfo | undefined>,
    position: number,
    request: IncomingMessage,
    errors: unknown[],
  ): Promise<UserInfo | undefined> {
    try {
      const user = await authenticated;
      if (user !== undefined) return withAuthenticatedGroup(user);
    } catch (error) {
      errors.push(error);
    }
    return this.#askFrom(position + 1, request, errors);
  }
}
