import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage, StatusError, newBadRequest, newServiceUnavailable, newUnknownError } from '@apichain/meta';

export type StatusWriter = (request: IncomingMessage, response: ServerResponse, error: StatusError) => void;

/** An object nested so deeply that walking it left no stack: within what JSON may have, but more than anyone can serve. */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message === 'Maximum call stack size exceeded';

/** How Node and undici say that somebody could not be reached, or went away before the answer. */
const connectionFailures: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);
const retrySeconds = 1;

/** A socket file that is not there is somebody who is not there. */
function isConnectionFailure(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return connectionFailures.has(code) || (code === 'ENOENT' && syscall === 'connect');
}

/**
 * What a thrown value becomes: itself when it is a StatusError, a bad request when the client's nesting was too deep, ServiceUnavailable when
 * another server that was needed could not be reached, otherwise code 500 with the bare text.
 */
export function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (isStackOverflow(error)) return newBadRequest('exceeded max depth');
  if (isConnectionFailure(error)) return newServiceUnavailable(error.message, retrySeconds);
  return newUnknownError(errorMessage(error));
}
