import { scopeOf } from '@apichain/request';
import { writeTextError } from '@apichain/request';
import { closeSession } from './close-session.ts';
import { isExemptFromShutdown } from '@apichain/request';
import type { Filter } from '@apichain/request';

/**
 * `--shutdown-send-retry-after`: answers new requests with 429 while requests in flight complete. Probes and the server's own requests
 * are served (k8s.io/apiserver/pkg/server/filters/with_retry_after.go).
 */
export function retryAfter(isDelayOver: () => boolean): Filter {
  return (request, response, next) => {
    if (!isDelayOver() || isExemptFromShutdown(scopeOf(request))) {
      next();
      return;
    }
    if (request.httpVersionMajor === 2) closeSession(response);
    else response.setHeader('Connection', 'close');
    response.setHeader('Retry-After', '5');
    writeTextError(response, 429, 'The apiserver is shutting down, please try again later.');
  };
}
