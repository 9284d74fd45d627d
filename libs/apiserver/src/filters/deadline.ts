import { newBadRequest, newTimeout } from '@apichain/meta';
import { DurationError, parseDurationMs } from '@apichain/go-text';
import { scopeOf, type RequestScope } from '@apichain/request';
import { writeStatusError, writeTimeout } from '@apichain/request';
import type { Filter } from '@apichain/request';

/**
 * Milliseconds that a response has for leaving which had been ended when its deadline passed. A response that was just written waits for the end of
 * the turn, and must not be reset before its client can have it. One that the client does not read is still there afterwards.
 */
const leavingMs = 500;
/** Turns of the event loop after which the system has been offered what was written before them: HTTP/2 writes at the end of a turn, TLS in the next. */
const leavingTurns = 3;

/**
 * Sets a deadline for every short request: `--request-timeout`, or the `timeout` query parameter if that is shorter. When it
 * passes, `onTimeout` is called and the work is aborted. The client gets 504, or a closed connection if part of the response was sent. A response
 * that had been ended before, and that the client does not read, is broken off a moment later.
 */
export function deadline(requestTimeoutMs: number, onTimeout: (scope: RequestScope) => void = () => undefined): Filter {
  return (request, response, next) => {
    const scope = scopeOf(request);
    if (scope.longRunning) {
      next();
      return;
    }
    let timeout = requestTimeoutMs;
    const asked = scope.query.text('timeout');
    if (asked !== '') {
      try {
        const milliseconds = parseDurationMs(asked);
        if (milliseconds > 0 && milliseconds < timeout) timeout = milliseconds;
      } catch (error) {
        if (!(error instanceof DurationError)) throw error;
        const message = `invalid timeout specified in the request URL - ${error.message}`;
        writeStatusError(request, response, newBadRequest(message));
        return;
      }
    }
    scope.deadline = scope.receivedAt + timeout;
    const expire = () => {
      const error = newTimeout('request did not complete within the allotted timeout');
      onTimeout(scope);
      scope.abort(error);
      scope.audit?.logResponseStatus(error.status);
      // The client does not read the response, whose memory and seat it would keep otherwise.
      if (response.writableEnded) response.destroy();
      else writeTimeout(response, error.status);
    };
    const expireIfUnread = (turns: number) => {
      if (response.writableFinished || response.destroyed) return;
      if (turns > 0) setImmediate(expireIfUnread, turns - 1);
      else expire();
    };
    // The deadline has passed already.
    if (timeout < 1) {
      expire();
      return;
    }
    let timer = setTimeout(() => {
      if (response.writableEnded) timer = setTimeout(expireIfUnread, leavingMs, leavingTurns);
      else expire();
    }, timeout);
    scope.onFinish(() => clearTimeout(timer));
    next();
  };
}
