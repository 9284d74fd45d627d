import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage, StatusError, newBadRequest, newServiceUnavailable, newUnknownError } from '@apichain/meta';

export type StatusWriter = (request: IncomingMessage, response: ServerResponse, error: StatusError) => void;

/** Walking a deeply nested object has exhausted the stack. Its depth is legal in JSON, but too great to be served. */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message === 'Maximum call stack size exceeded';

/** Error codes of Node and undici for a peer that cannot be reached, or that disconnected before its response. */
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

/** A missing socket file means that its server is not running. */
function isConnectionFailure(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return connectionFailures.has(code) || (code === 'ENOENT' && syscall === 'connect');
}

/**
 * Converts a thrown value. A StatusError stays. Too deep nesting by the client becomes BadRequest. Another required server that cannot be reached
 * becomes ServiceUnavailable. Anything else becomes code 500 with the bare text.
 */
export function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (isStackOverflow(error)) return newBadRequest('exceeded max depth');
  if (isConnectionFailure(error)) return newServiceUnavailable(error.message, retrySeconds);
  return newUnknownError(errorMessage(error));
}
