import type { IncomingMessage, ServerResponse } from 'node:http';
import { StatusError, newUnknownError } from '@apichain/meta';

export type StatusWriter = (request: IncomingMessage, response: ServerResponse, error: StatusError) => void;

/** What a thrown value becomes: itself when it is a StatusError, otherwise code 500 with the bare text. */
export function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  return newUnknownError(error instanceof Error ? error.message : String(error));
}
