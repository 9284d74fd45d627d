import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  bearerToken,
  systemApiserver,
  systemPrivilegedGroup,
  withAuthenticatedGroup,
  type Authenticator,
  type UserInfo,
} from '@apichain/authn';
import type { Transport } from '@apichain/client';

/** How a server calls itself: its own port, a token nobody else knows, the right to do everything. */
export interface LoopbackConfig {
  /** `https://127.0.0.1:port`, known once the server listens; of the first server of the chain when this one has no port. */
  readonly url: string;
  readonly token: string;
  /** PEM; the serving certificate itself is trusted. */
  readonly ca: string;
  /** The same way in without a connection: requests pass the whole handler chain with that token. The caller closes it. */
  connect(userAgent?: string): Transport;
}

/** Recognises the loopback token, and asks the configured authenticator about everybody else. */
export class LoopbackAuthenticator implements Authenticator {
  readonly token = randomUUID();
  readonly user: UserInfo = withAuthenticatedGroup({
    name: systemApiserver,
    uid: randomUUID(),
    groups: [systemPrivilegedGroup],
    extra: {},
  });
  readonly #others: Authenticator;

  constructor(others: Authenticator) {
    this.#others = others;
  }

  authenticate(request: IncomingMessage): Promise<UserInfo | undefined> | UserInfo | undefined {
    if (bearerToken(request) === this.token) return this.user;
    return this.#others.authenticate(request);
  }
}
