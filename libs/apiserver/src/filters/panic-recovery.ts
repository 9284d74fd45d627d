import type { IncomingMessage, ServerResponse } from 'node:http';
import { isStatusError } from '@apichain/meta';
import { mayRespond } from '@apichain/request';
import { findScope } from '@apichain/request';
import { writeStatusError, writeTextError } from '@apichain/request';

export type ErrorFilter = (
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Handles errors of handlers: a StatusError is sent as it is, any other error is a bug in this project. */
export function panicRecovery(report: (error: unknown, request: IncomingMessage) => void): ErrorFilter {
  // Express recognises error handlers by their four parameters.
  return (error, request, response, _next) => {
    const expected = isStatusError(error);
    if (!expected) {
      report(error, request);
      findScope(request)?.audit?.panicked(error);
    }
    if (!mayRespond(response)) return;
    if (findScope(request)?.isAborted === true) {
      response.destroy();
      return;
    }
    if (expected) writeStatusError(request, response, error);
    else writeTextError(response, 500, 'This request caused apiserver to panic. Look in the logs for details.');
  };
}
