import type { IncomingMessage } from 'node:http';
import type { Authenticator, UserInfo } from './authenticator.ts';
import { joinedError } from './unavailable.ts';

/** The user of a valid token. */
export interface AuthenticatedToken {
  readonly user: UserInfo;
  /** The requested audiences that the token is valid for; undefined = the token is not restricted to audiences. */
  readonly audiences?: readonly string[];
  /** When the token expires, in milliseconds since the epoch; undefined = never, or its issuer does not say. */
  readonly expiresAt?: number;
}

/**
 * Authenticates a bearer token. Undefined = not a token of this kind. Throws when the token is of this kind but not valid. `audiences` = the
 * audiences that the token must be valid for; undefined = those of this API.
 */
export interface TokenAuthenticator {
  authenticateToken(
    token: string,
    audiences?: readonly string[],
  ): Promise<AuthenticatedToken | undefined> | AuthenticatedToken | undefined;
}

const webSocketProtocol = 'sec-websocket-protocol';
const webSocketProtocolPrefix = 'base64url.bearer.authorization.k8s.io.';

/**
 * The bearer token of the Authorization header, or of the WebSocket subprotocol that browsers use instead; undefined = no token.
 * Throws when the request has no other subprotocol, which the server needs for its response.
 */
export function bearerToken(request: IncomingMessage): string | undefined {
  const authorization = request.headers.authorization;
  if (authorization !== undefined) {
    const space = authorization.indexOf(' ');
    if (space > 0 && authorization.slice(0, space).toLowerCase() === 'bearer') {
      const token = authorization.slice(space + 1).trim();
      if (token !== '') return token;
    }
  }
  const protocols = request.headers[webSocketProtocol];
  return protocols === undefined ? undefined : webSocketToken(protocols);
}

const split = (protocols: string): string[] => protocols.split(',').map((text) => text.trim());

function webSocketToken(protocols: string): string | undefined {
  const all = split(protocols);
  const protocol = all.find((text) => text.startsWith(webSocketProtocolPrefix));
  if (protocol === undefined) return undefined;
  const token = Buffer.from(protocol.slice(webSocketProtocolPrefix.length), 'base64url').toString('utf8');
  if (token === '') return undefined;
  if (all.length === 1) throw new Error('missing additional subprotocol');
  return token;
}

/** Removes the subprotocol with the token, so that it is neither selected nor forwarded. */
function dropWebSocketToken(request: IncomingMessage): void {
  const others = (protocols: string) =>
    split(protocols)
      .filter((text) => !text.startsWith(webSocketProtocolPrefix))
      .join(',');
  const { headers, rawHeaders } = request;
  headers[webSocketProtocol] = others(headers[webSocketProtocol] ?? '');
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === webSocketProtocol) rawHeaders[i + 1] = others(rawHeaders[i + 1] ?? '');
  }
}

/** The error text of every refused token. */
export const invalidBearerToken = 'invalid bearer token';

/** Tries several token authenticators in turn. Throws the errors of those that recognised the token when none accepts it. */
export class UnionTokenAuthenticator implements TokenAuthenticator {
  readonly #members: readonly TokenAuthenticator[];

  constructor(members: readonly TokenAuthenticator[]) {
    this.#members = members;
  }

  async authenticateToken(token: string, audiences?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    const errors: unknown[] = [];
    for (const member of this.#members) {
      try {
        const authenticated = await member.authenticateToken(token, audiences);
        if (authenticated !== undefined) return authenticated;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw joinedError(errors);
    return undefined;
  }
}

/**
 * Bearer tokens of every kind. A token that no authenticator recognises is an error, so that the response is 401 and the user is not anonymous.
 */
export class BearerTokenAuthenticator implements Authenticator {
  readonly #tokens: TokenAuthenticator;

  constructor(tokens: TokenAuthenticator) {
    this.#tokens = tokens;
  }

  authenticate(request: IncomingMessage): Promise<UserInfo> | UserInfo | undefined {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const authenticated = this.#tokens.authenticateToken(token);
    if (request.headers[webSocketProtocol] !== undefined) return this.#overWebSocket(request, authenticated);
    return authenticated instanceof Promise ? authenticated.then(userOf) : userOf(authenticated);
  }

  async #overWebSocket(
    request: IncomingMessage,
    authenticated: ReturnType<TokenAuthenticator['authenticateToken']>,
  ): Promise<UserInfo> {
    const user = userOf(await authenticated);
    dropWebSocketToken(request);
    return user;
  }
}

function userOf(authenticated: AuthenticatedToken | undefined): UserInfo {
  if (authenticated === undefined) throw new Error(invalidBearerToken);
  return authenticated.user;
}

/** A fixed table of tokens: the static token file and the loopback credential. */
export class StaticTokenAuthenticator implements TokenAuthenticator {
  readonly #users: ReadonlyMap<string, UserInfo>;

  constructor(users: ReadonlyMap<string, UserInfo>) {
    this.#users = users;
  }

  authenticateToken(token: string): AuthenticatedToken | undefined {
    const user = this.#users.get(token);
    return user === undefined ? undefined : { user };
  }
}

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
