import type { IncomingMessage } from 'node:http';
import type { Authenticator } from './authenticator.ts';
import type { UserInfo } from './user.ts';
import { systemAnonymous, systemUnauthenticatedGroup } from './well-known.ts';

export const anonymousUser: UserInfo = {
  name: systemAnonymous,
  uid: '',
  groups: [systemUnauthenticatedGroup],
  extra: {},
};

/**
 * Whoever brings no credential at all. With `paths`, only requests to exactly those paths may be anonymous.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#anonymous-requests
 */
export class AnonymousAuthenticator implements Authenticator {
  readonly #paths: ReadonlySet<string> | undefined;

  constructor(paths?: readonly string[]) {
    this.#paths = paths === undefined ? undefined : new Set(paths);
  }

  authenticate(request: IncomingMessage): UserInfo | undefined {
    if (this.#paths === undefined) return anonymousUser;
    const url = request.url ?? '';
    const query = url.indexOf('?');
    return this.#paths.has(query < 0 ? url : url.slice(0, query)) ? anonymousUser : undefined;
  }
}
