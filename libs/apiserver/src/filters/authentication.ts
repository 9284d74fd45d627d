import type { IncomingMessage } from 'node:http';
import { asError, newServiceUnavailable, newUnauthorized, type StatusError } from '@apichain/meta';
import {
  anonymousUser,
  AuthenticationUnavailableError,
  isChainProxy,
  systemUnauthenticatedGroup,
  withAuthenticatedGroup,
  type Authenticator,
  type ChainProxies,
  type UserInfo,
} from '@apichain/authn';
import { relayNotes } from '@apichain/audit';
import { relayTimes, scopeOf } from '@apichain/request';
import { writeStatusError } from '@apichain/request';
import { closeSession } from './close-session.ts';
import type { Filter } from '@apichain/request';

interface AuthenticationOptions {
  /** The name of the server. */
  readonly service: string;
  /** Called first. If it returns a user, the request came through a front proxy. */
  readonly requestHeader?: {
    authenticate(request: IncomingMessage): UserInfo | undefined;
    clear?(request: IncomingMessage): void;
  };
  /** Authenticates all other requests, including anonymous ones. */
  readonly authenticator: Authenticator;
  /** Front proxies whose requests are already authorized. */
  readonly chainProxies: ChainProxies;
  /** Called once per failed request; `outcome` distinguishes invalid credentials (`error`) from missing ones (`failure`). */
  readonly onFailure?: (error: Error, outcome: 'failure' | 'error', seconds: number, request: IncomingMessage) => void;
  /** Called once per request that was authenticated without a front proxy. */
  readonly onSuccess?: (user: UserInfo, seconds: number, request: IncomingMessage) => void;
}

/** Sets the user of the request, or answers 401. */
export function authentication(options: AuthenticationOptions): Filter {
  return (request, response, next) => {
    const scope = scopeOf(request);
    let failure: Error | undefined;
    let proxied = false;
    const since = performance.now();
    const seconds = () => (performance.now() - since) / 1000;

    const accept = (user: UserInfo | undefined) => {
      if (user === undefined) {
        reject(failure ?? new Error('no credentials'), failure === undefined ? 'failure' : 'error');
        return;
      }
      // A certificate that was refused is not the same as none: its client is not anonymous.
      if (failure !== undefined && isUnauthenticated(user)) {
        reject(failure);
        return;
      }
      scope.authenticationMs = performance.now() - since;
      scope.times?.track('authentication', scope.authenticationMs);
      if (!proxied) options.onSuccess?.(user, seconds(), request);
      delete request.headers.authorization;
      options.requestHeader?.clear?.(request);
      scope.user = user;
      if (user.warnings !== undefined) for (const warning of user.warnings) scope.warn(warning);
      // Unauthenticated clients do not keep HTTP/2 sessions open.
      if (request.httpVersionMajor === 2 && isUnauthenticated(user)) closeSession(response);
      next();
    };
    const reject = (error: unknown, outcome: 'failure' | 'error' = 'error') => {
      options.onFailure?.(asError(error), outcome, seconds(), request);
      if (request.httpVersionMajor === 2) closeSession(response);
      writeStatusError(request, response, refusalOf(error));
    };
    const askOthers = () => {
      const authenticated = options.authenticator.authenticate(request);
      if (authenticated instanceof Promise) authenticated.then(accept, (error: unknown) => reject(error));
      else accept(authenticated);
    };
    const askFrontProxy = () => {
      const user = options.requestHeader?.authenticate(request);
      return user === undefined ? undefined : withAuthenticatedGroup(user);
    };

    try {
      const user = askFrontProxy();
      if (user !== undefined) {
        proxied = true;
        scope.delegated = isChainProxy(options.chainProxies, request.socket);
        if (scope.delegated) {
          relayNotes(request, scope);
          relayTimes(request, scope, options.service);
        }
        accept(user);
        return;
      }
    } catch (error) {
      // A client certificate that no front proxy has may be valid for a user.
      failure = asError(error);
    }
    try {
      askOthers();
    } catch (error) {
      reject(error);
    }
  };
}

/** The authenticator may be available again after this time. */
const retrySeconds = 1;

const refusalOf = (error: unknown): StatusError =>
  error instanceof AuthenticationUnavailableError
    ? newServiceUnavailable(`who calls cannot be told now: ${error.message}`, retrySeconds)
    : newUnauthorized();

const isUnauthenticated = (user: UserInfo) =>
  user.name === anonymousUser.name || user.groups.includes(systemUnauthenticatedGroup);
