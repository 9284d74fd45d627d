import { errorMessage, isStatusError } from '@apichain/meta';

/** A registration that failed for a reason that the operator can fix. The message is one line. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
}

/** The error of a call to the core API, as one line that begins with what was attempted. */
export function callError(attempt: string, error: unknown): RegistrationError {
  if (error instanceof RegistrationError) return error;
  const reason = isStatusError(error) ? error.message : `no response of the API server: ${causeOf(error)}`;
  return new RegistrationError(`${attempt}: ${reason.replaceAll('\n', ' ')}`, { cause: error });
}

/** The message of an error. Node's AggregateError, for a host name with several addresses, has its messages in its parts. */
function causeOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return [...new Set(error.errors.map(errorMessage))].join('; ');
  return errorMessage(error);
}
