import type { IncomingMessage } from 'node:http';
import type { Authenticator } from './authenticator.ts';
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

const webSocketProtocolPrefix = 'base64url.bearer.authorization.k8s.io.';

/** The bearer token of the Authorization header, or of the WebSocket subprotocol that browsers use instead; undefined = none. */
export function bearerToken(request: IncomingMessage): string | undefined {
  const authorization = request.headers.authorization;
  if (authorization !== undefined) {
    const space = authorization.indexOf(' ');
    if (space > 0 && authorization.slice(0, space).toLowerCase() === 'bearer') {
      const token = authorization.slice(space + 1).trim();
      if (token !== '') return token;
    }
  }
  return webSocketToken(request.headers['sec-websocket-protocol']);
}

function webSocketToken(protocols: string | undefined): string | undefined {
  const protocol = protocols
    ?.split(',')
    .map((text) => text.trim())
    .find((text) => text.startsWith(webSocketProtocolPrefix));
  if (protocol === undefined) return undefined;
  const token = Buffer.from(protocol.slice(webSocketProtocolPrefix.length), 'base64url').toString('utf8');
  return token === '' ? undefined : token;
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
    const errors: string[] = [];
    for (const member of this.#members) {
      try {
        const answer = await member.authenticateToken(token, audiences);
        if (answer !== undefined) return answer;
      } catch (error) {
        errors.push(error instanceof Error ? error.message : String(error));
      }
    }
    if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`);
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
    return answer instanceof Promise ? answer.then(userOf) : userOf(answer);
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
