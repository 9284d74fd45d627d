import { newBadRequest, newTimeout } from '@apichain/meta';
import { parseGoDuration } from '@apichain/apiserver-options';
import { scopeOf, type RequestScope } from '@apichain/request';
import { writeStatusError, writeTimeout } from '@apichain/request';
import type { Filter } from '@apichain/request';

/**
 * Sets a deadline for every short request: `--request-timeout`, or the `timeout` query parameter if that is shorter. When it
 * passes, `onTimeout` is called and the work is aborted. The client gets 504, or a closed connection if part of the response was sent.
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
      const parsed = parseGoDuration(asked);
      if (typeof parsed === 'string') {
        const message = `invalid timeout specified in the request URL - ${parsed}`;
        writeStatusError(request, response, newBadRequest(message));
        return;
      }
      if (parsed > 0 && parsed < timeout) timeout = parsed;
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
    // The deadline has passed already.
    if (timeout < 1) {
      expire();
      return;
    }
    const timer = setTimeout(expire, timeout);
    scope.onFinish(() => clearTimeout(timer));
    next();
  };
}
