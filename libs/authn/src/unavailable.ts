import { aggregateMessage, errorMessage } from '@apichain/meta';

/**
 * The caller cannot be authenticated now, because an object that the credential refers to cannot be read. The credential may still be valid; a 401
 * would tell the client that it is not.
 */
export class AuthenticationUnavailableError extends Error {
  override readonly name = 'AuthenticationUnavailableError';
}

/**
 * Joins the errors of several authenticators or keys that did not authenticate the caller; equal messages appear once. When one of them is
 * AuthenticationUnavailableError, returns that one.
 */
export function joinedError(errors: readonly unknown[]): Error {
  const unavailable = errors.find((error) => error instanceof AuthenticationUnavailableError);
  if (unavailable !== undefined) return unavailable;
  return new Error(aggregateMessage(errors.map(errorMessage)));
}
