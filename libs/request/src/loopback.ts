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

/** How a server calls itself: its own port, a secret token, and full permissions. */
export interface LoopbackConfig {
  /** `https://127.0.0.1:port`, known once the server listens. That of the first server of the chain when this server has no port. */
  readonly url: string;
  readonly token: string;
  /** PEM; the serving certificate itself is trusted. */
  readonly ca: string;
  /** The same access without a connection: requests pass the whole handler chain with that token. The caller closes the transport. */
  connect(userAgent?: string): Transport;
}

/** Recognises the loopback token, and passes every other request to the configured authenticator. */
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
