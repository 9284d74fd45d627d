import type { IncomingMessage } from 'node:http';
import type { Authenticator } from './authenticator.ts';
import type { UserInfo } from './user.ts';

/** Tells who a bearer token belongs to; undefined = not a token of this kind. Throws when it is one but not valid. */
export interface TokenAuthenticator {
  authenticateToken(token: string): Promise<UserInfo | undefined> | UserInfo | undefined;
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

/** Bearer tokens, whatever issues them: a token nobody knows is an error, so that it ends as 401 and not as anonymous. */
export class BearerTokenAuthenticator implements Authenticator {
  readonly #tokens: readonly TokenAuthenticator[];

  constructor(tokens: readonly TokenAuthenticator[]) {
    this.#tokens = tokens;
  }

  async authenticate(request: IncomingMessage): Promise<UserInfo | undefined> {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    for (const authenticator of this.#tokens) {
      const user = await authenticator.authenticateToken(token);
      if (user !== undefined) return user;
    }
    throw new Error('invalid bearer token');
  }
}

/** A fixed table of tokens: the static token file and the loopback credential. */
export class StaticTokenAuthenticator implements TokenAuthenticator {
  readonly #users: ReadonlyMap<string, UserInfo>;

  constructor(users: ReadonlyMap<string, UserInfo>) {
    this.#users = users;
  }

  authenticateToken(token: string): UserInfo | undefined {
    return this.#users.get(token);
  }
}
