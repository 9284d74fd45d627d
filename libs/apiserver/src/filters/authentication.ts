import type { IncomingMessage } from 'node:http';
import { newUnauthorized } from '@apichain/meta';
import {
  anonymousUser,
  systemUnauthenticatedGroup,
  withAuthenticatedGroup,
  type Authenticator,
  type UserInfo,
} from '@apichain/authn';
import { relayNotes } from '../audit/relay.ts';
import { scopeOf } from '../request-scope.ts';
import { writeStatusError } from '../responses.ts';
import { closeSession } from './close-session.ts';
import type { Filter } from './filter.ts';

export interface AuthenticationOptions {
  /** Asked first; a user it knows came through a front proxy. */
  readonly requestHeader?: { authenticate(request: IncomingMessage): UserInfo | undefined };
  /** Everything else, anonymous included. */
  readonly authenticator: Authenticator;
  /** Whether a front proxy's requests count as authorized already. */
  readonly trustFrontProxyAuthorization: boolean;
  /** Told once per failed request, before it is answered. */
  readonly onFailure?: (error: Error, request: IncomingMessage) => void;
}

/** Puts the user on the request, or answers 401. */
export function authentication(options: AuthenticationOptions): Filter {
  return (request, response, next) => {
    const scope = scopeOf(request);
    let failure: Error | undefined;

    const accept = (user: UserInfo | undefined) => {
      if (user === undefined) {
        reject(failure ?? new Error('no credentials'));
        return;
      }
      delete request.headers.authorization;
      scope.user = user;
      // Strangers do not hold HTTP/2 sessions.
      if (request.httpVersionMajor === 2 && isUnauthenticated(user)) closeSession(response);
      next();
    };
    const reject = (error: unknown) => {
      options.onFailure?.(error instanceof Error ? error : new Error(String(error)), request);
      if (request.httpVersionMajor === 2) closeSession(response);
      writeStatusError(request, response, newUnauthorized());
    };
    const askOthers = () => {
      const answer = options.authenticator.authenticate(request);
      if (answer instanceof Promise) answer.then(accept, reject);
      else accept(answer);
    };
    const askFrontProxy = () => {
      const user = options.requestHeader?.authenticate(request);
      return user === undefined ? undefined : withAuthenticatedGroup(user);
    };

    try {
      const proxied = askFrontProxy();
      if (proxied !== undefined) {
        scope.delegated = options.trustFrontProxyAuthorization;
        if (scope.delegated) relayNotes(request, scope);
        accept(proxied);
        return;
      }
    } catch (error) {
      // A client certificate that is not a front proxy's may still be somebody's own.
      failure = error instanceof Error ? error : new Error(String(error));
    }
    try {
      askOthers();
    } catch (error) {
      reject(error);
    }
  };
}

const isUnauthenticated = (user: UserInfo) =>
  user.name === anonymousUser.name || user.groups.includes(systemUnauthenticatedGroup);
