import type { IncomingMessage, ServerResponse } from 'node:http';
import { newServiceUnavailable } from '@apichain/meta';
import { writeStatusError } from '../responses.ts';

const retrySeconds = 1;

/** Answers 503: the next server could not be reached, or went away before it answered. */
export function writeUnavailable(request: IncomingMessage, response: ServerResponse, error: Error): void {
  const text = `the next server in the chain is not available: ${error.message}`;
  writeStatusError(request, response, newServiceUnavailable(text, retrySeconds));
}
