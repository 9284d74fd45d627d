import type { IncomingMessage } from 'node:http';
import {
  AuthenticationUnavailableError,
  bearerToken,
  credentialOf,
  presenting,
  type Authenticator,
  type TokenAuthenticator,
  type UserInfo,
} from '@apichain/authn';
import { identityOf, type Identity, type Owner } from './identity.ts';
import type { Session, Sessions } from './sessions.ts';

const consoleFacts: unique symbol = Symbol('apichain.consoleFacts');

/** What authentication has found out about a request. */
interface ConsoleFacts {
  /** The request belongs to a session. */
  readonly isInSession?: true;
  /** Who asks for a code: authentication removes tokens from requests. */
  readonly owner?: Owner;
}

declare module 'node:http' {
  interface IncomingMessage {
    [consoleFacts]?: ConsoleFacts;
  }
}

/** Whether an authenticated request belongs to a session. */
export const isInSession = (request: IncomingMessage): boolean => request[consoleFacts]?.isInSession === true;

/** The path of the API at which users get the codes that begin sessions. */
export const codesPath = '/console/codes';

/**
 * Recognises the requests of console sessions by their passes, and passes every other request to the configured authenticator. For a request of a
 * session, that authenticator is asked about the credential behind the session. When it refuses the credential, the session ends.
 */
export class SessionAuthenticator implements Authenticator {
  readonly #sessions: Sessions;
  readonly #others: Authenticator;
  readonly #tokens: TokenAuthenticator | undefined;

  /** `tokens` = the part of `others` that checks tokens. It tells when they expire. */
  constructor(sessions: Sessions, others: Authenticator, tokens: TokenAuthenticator | undefined) {
    this.#sessions = sessions;
    this.#others = others;
    this.#tokens = tokens;
  }

  authenticate(request: IncomingMessage): Promise<UserInfo | undefined> | UserInfo | undefined {
    const pass = bearerToken(request);
    const session = pass === undefined ? undefined : this.#sessions.ofPass(pass);
    if (session !== undefined) {
      request[consoleFacts] = { isInSession: true };
      return this.ownerOf(session);
    }
    return request.url?.startsWith(codesPath) === true
      ? this.#rememberingOwner(request)
      : this.#others.authenticate(request);
  }

  async #rememberingOwner(request: IncomingMessage): Promise<UserInfo | undefined> {
    const user = await this.#others.authenticate(request);
    const credential = user === undefined ? undefined : credentialOf(request, user);
    if (user !== undefined && credential !== undefined) request[consoleFacts] = { owner: { user, credential } };
    return user;
  }

  /** The user who is behind a session, whose credential is checked again. Ends the session and rejects when it is no longer valid. */
  async ownerOf(session: Session): Promise<UserInfo> {
    const { owner } = session.identity;
    try {
      const user = await this.#others.authenticate(presenting(owner.credential));
      if (user?.name !== owner.user.name) throw new Error(`the credential is no longer of the user ${owner.user.name}`);
      return user;
    } catch (error) {
      if (!(error instanceof AuthenticationUnavailableError)) this.#sessions.end(session);
      throw error;
    }
  }

  /**
   * The identity of a request for a code, which speaks for `user`. Undefined when it has no credential that can be checked again: of an anonymous
   * user, or of one for whom a front proxy vouches. Throws Error when the identity is too large.
   */
  async identityOfRequest(request: IncomingMessage, user: UserInfo): Promise<Identity | undefined> {
    const owner = request[consoleFacts]?.owner;
    return owner === undefined ? undefined : identityOf(owner, user, request, this.#tokens);
  }

  /** The identity of a token. Undefined when it is not valid. Throws AuthenticationUnavailableError. */
  async identityOfToken(token: string): Promise<Identity | undefined> {
    const user = await this.#userOfToken(token);
    return user && identityOf({ user, credential: { token } }, user, { rawHeaders: [] }, this.#tokens);
  }

  async #userOfToken(token: string): Promise<UserInfo | undefined> {
    // Without token authenticators, a request with a token is one of an anonymous user.
    if (this.#tokens === undefined) return undefined;
    try {
      return await this.#others.authenticate(presenting({ token }));
    } catch (error) {
      // Any other error says that the token is not valid.
      if (error instanceof AuthenticationUnavailableError) throw error;
      return undefined;
    }
  }
}
