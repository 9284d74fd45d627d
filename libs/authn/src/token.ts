import type { IncomingMessage } from 'node:http';
import type { Authenticator } from './authenticator.ts';
import { joinedError } from './unavailable.ts';
import type { UserInfo } from './user.ts';

/** Whom a token stands for. */
export interface AuthenticatedToken {
  readonly user: UserInfo;
  /** Which of the audiences asked for it is meant for; undefined = it is a token for anybody. */
  readonly audiences?: readonly string[];
}

/**
 * Tells who a bearer token belongs to; undefined = not a token of this kind. Throws when it is one but not valid.
 * `audiences` = whom it must be meant for; undefined = this API.
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
 * The bearer token of the Authorization header, or of the WebSocket subprotocol that browsers use instead; undefined = none.
 * Throws when there is no other subprotocol, with which the server could answer.
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

/** Takes the subprotocol with the token away, so that it is neither chosen nor passed on. */
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

/** The text of every refusal. */
export const invalidBearerToken = 'invalid bearer token';

/** Several kinds of tokens, asked in turn. Throws what those who know the token have against it. */
export class UnionTokenAuthenticator implements TokenAuthenticator {
  readonly #members: readonly TokenAuthenticator[];

  constructor(members: readonly TokenAuthenticator[]) {
    this.#members = members;
  }

  async authenticateToken(token: string, audiences?: readonly string[]): Promise<AuthenticatedToken | undefined> {
    const errors: unknown[] = [];
    for (const member of this.#members) {
      try {
        const answer = await member.authenticateToken(token, audiences);
        if (answer !== undefined) return answer;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw joinedError(errors);
    return undefined;
  }
}

/** Bearer tokens, whatever issues them: a token nobody knows is an error, so that it ends as 401 and not as anonymous. */
export class BearerTokenAuthenticator implements Authenticator {
  readonly #tokens: TokenAuthenticator;

  constructor(tokens: TokenAuthenticator) {
    this.#tokens = tokens;
  }

  authenticate(request: IncomingMessage): Promise<UserInfo> | UserInfo | undefined {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const answer = this.#tokens.authenticateToken(token);
    if (request.headers[webSocketProtocol] !== undefined) return this.#overWebSocket(request, answer);
    return answer instanceof Promise ? answer.then(userOf) : userOf(answer);
  }

  async #overWebSocket(
    request: IncomingMessage,
    answer: ReturnType<TokenAuthenticator['authenticateToken']>,
  ): Promise<UserInfo> {
    const user = userOf(await answer);
    dropWebSocketToken(request);
    return user;
  }
}

function userOf(answer: AuthenticatedToken | undefined): UserInfo {
  if (answer === undefined) throw new Error(invalidBearerToken);
  return answer.user;
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
