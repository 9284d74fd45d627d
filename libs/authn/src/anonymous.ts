import type { IncomingMessage } from 'node:http';
import type { Authenticator, UserInfo } from './authenticator.ts';
import { systemAnonymous, systemUnauthenticatedGroup } from './well-known.ts';

/** The user of a request that carries no credential. */
export const anonymousUser: UserInfo = {
  name: systemAnonymous,
  uid: '',
  groups: [systemUnauthenticatedGroup],
  extra: {},
};

/**
 * Authenticates requests without any credential as the anonymous user. With `paths`, only requests to exactly those paths may be anonymous.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#anonymous-requests
 */
export class AnonymousAuthenticator implements Authenticator {
  readonly #paths: ReadonlySet<string> | undefined;
  readonly #pathOf: (request: IncomingMessage) => string;

  /** `pathOf` returns the decoded path of a request, the same path that is served. */
  constructor(paths?: readonly string[], pathOf: (request: IncomingMessage) => string = () => '') {
    this.#pathOf = pathOf;
    this.#paths = paths === undefined ? undefined : new Set(paths);
  }

  authenticate(request: IncomingMessage): UserInfo | undefined {
    if (this.#paths === undefined) return anonymousUser;
    return this.#paths.has(this.#pathOf(request)) ? anonymousUser : undefined;
  }
}
