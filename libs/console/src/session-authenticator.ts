import type { IncomingMessage } from 'node:http';
import { bearerToken, type Authenticator, type UserInfo } from '@apichain/authn';
import type { Sessions } from './sessions.ts';

/** Recognises the requests of console sessions by their passes, and passes every other request to the configured authenticator. */
export class SessionAuthenticator implements Authenticator {
  readonly #sessions: Sessions;
  readonly #others: Authenticator;

  constructor(sessions: Sessions, others: Authenticator) {
    this.#sessions = sessions;
    this.#others = others;
  }

  authenticate(request: IncomingMessage): Promise<UserInfo | undefined> | UserInfo | undefined {
    const token = bearerToken(request);
    const user = token === undefined ? undefined : this.#sessions.userOfPass(token);
    return user ?? this.#others.authenticate(request);
  }
}
