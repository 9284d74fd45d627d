import type { IncomingMessage, ServerResponse } from 'node:http';
import { StatusError } from '@apichain/meta';
import { writeStatusError } from './responses.ts';

/** The 405 of a path that exists, but not for this method. */
export const newMethodNotAllowed = (): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server does not allow this method on the requested resource',
    reason: 'MethodNotAllowed',
    details: {},
    code: 405,
  });

/** Answers 405 and returns true unless the request is a GET or HEAD. */
export function methodNotAllowed(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false;
  writeStatusError(request, response, newMethodNotAllowed());
  return true;
}
