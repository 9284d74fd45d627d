import type { IncomingMessage, ServerResponse } from 'node:http';
import { StatusError, newBadRequest, newUnknownError } from '@apichain/meta';

export type StatusWriter = (request: IncomingMessage, response: ServerResponse, error: StatusError) => void;

/** An object nested so deeply that walking it left no stack: within what JSON may have, but more than anyone can serve. */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message === 'Maximum call stack size exceeded';

/**
 * What a thrown value becomes: itself when it is a StatusError, a bad request when the client's nesting was too deep, otherwise
 * code 500 with the bare text.
 */
export function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (isStackOverflow(error)) return newBadRequest('exceeded max depth');
  return newUnknownError(error instanceof Error ? error.message : String(error));
}
