import type { IncomingMessage } from 'node:http';
import {
  errorMessage,
  isStatusError,
  newBadRequest,
  newForbidden,
  newServiceUnavailable,
  newTooManyRequests,
} from '@apichain/meta';
import { AuthenticationUnavailableError, type UserInfo } from '@apichain/authn';
import { newMethodNotAllowed, writeRawJson, writeStatusError, type PathHandler } from '@apichain/request';
import type { Identity } from './identity.ts';
import { codesPath, type SessionAuthenticator } from './session-authenticator.ts';
import { TooManySessionsError, type Invitation } from './sessions.ts';

interface CodesOptions {
  /** Makes a code for an identity. Throws TooManySessionsError. */
  readonly invite: (identity: Identity) => Promise<Invitation> | Invitation;
  readonly authenticator: SessionAuthenticator;
  /** The URL of the console. */
  readonly url: string;
}

/** After so many seconds there may be room for another code, and the authenticator may be available. */
const retrySeconds = { code: 60, authenticator: 1 };

const uncheckable = `${codesPath} needs a client certificate or a token, which is checked again with each request of the session`;

/**
 * `POST /console/codes` of the API: a URL with a one-time code, which begins a session as the user of the request. A session that is made while
 * impersonating impersonates, too.
 */
export const codesEndpoint =
  ({ invite, authenticator, url }: CodesOptions): PathHandler =>
  async ({ user }, request, response) => {
    try {
      if (request.method !== 'POST') throw newMethodNotAllowed();
      const { code, expiresAt } = await invited(invite, await identityOf(authenticator, request, user));
      response.setHeader('Cache-Control', 'no-store');
      writeRawJson(response, 201, { url: `${url}#code=${code}`, expiresAt });
    } catch (error) {
      if (!isStatusError(error)) throw error;
      writeStatusError(request, response, error);
    }
  };

async function identityOf(
  authenticator: SessionAuthenticator,
  request: IncomingMessage,
  user: UserInfo,
): Promise<Identity> {
  const identity = await authenticator.identityOfRequest(request, user).catch((error: unknown) => {
    throw error instanceof AuthenticationUnavailableError
      ? newServiceUnavailable(error.message, retrySeconds.authenticator)
      : newBadRequest(errorMessage(error));
  });
  if (identity === undefined) throw newForbidden({ group: '', resource: '' }, '', uncheckable);
  return identity;
}

async function invited(invite: CodesOptions['invite'], identity: Identity): Promise<Invitation> {
  try {
    return await invite(identity);
  } catch (error) {
    if (!(error instanceof TooManySessionsError)) throw error;
    throw newTooManyRequests(error.message, retrySeconds.code);
  }
}
