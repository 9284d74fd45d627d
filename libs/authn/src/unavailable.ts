import { errorMessage } from '@apichain/meta';

/**
 * Who calls cannot be told now, because what a credential speaks of cannot be looked up. That is no verdict on the credential: to a client 401
 * would say that it is no good.
 */
export class AuthenticationUnavailableError extends Error {
  override readonly name = 'AuthenticationUnavailableError';
}

/** One error for those of several authenticators, none of which knew the caller: that nobody could tell, where one of them could not. */
export function joinedError(errors: readonly unknown[]): Error {
  const unavailable = errors.find((error) => error instanceof AuthenticationUnavailableError);
  if (unavailable !== undefined) return unavailable;
  const messages = errors.map(errorMessage);
  return new Error(messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`);
}
