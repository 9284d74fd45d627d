import type { ServerResponse } from 'node:http';
import { type Filter, scopeOf, writeTextError, isExemptFromShutdown } from '@apichain/request';

/** Go's equivalent of `Connection: close` over HTTP/2: the session ends (GOAWAY) after its pending responses. */
export function closeSession(response: ServerResponse): void {
  const { stream } = response as { stream?: { session?: { close(): void } } };
  // A stream that has ended has no session any more.
  const session = stream?.session;
  response.once('finish', () => session?.close());
}

/** `--goaway-chance`: closes HTTP/2 connections at random, so that their clients reconnect through the load balancer. */
export function goaway(chance: number, random: () => number = Math.random): Filter {
  return (request, response, next) => {
    if (request.httpVersionMajor === 2 && random() < chance) closeSession(response);
    next();
  };
}

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
