import type { IncomingMessage, ServerResponse } from 'node:http';
import { newBadRequest } from '@apichain/meta';
import { scopeOf } from '@apichain/request';
import { BackendExchange } from './backend-exchange.ts';
import type { Backend } from './backend.ts';

export const asksForUpgrade = (request: IncomingMessage): boolean => scopeOf(request).pendingUpgrade !== undefined;

/**
 * Joins the client with a backend over an upgraded connection (WebSocket, SPDY) of any protocol. Until the connection is upgraded, failures are
 * sent to the client as errors. Throws BadRequest when the client did not request an upgrade.
 */
export function streamToBackend(request: IncomingMessage, response: ServerResponse, backend: Backend): void {
  if (!asksForUpgrade(request)) throw newBadRequest('Upgrade request required');
  upgradeToBackend(request, response, backend);
}

/** As streamToBackend, for a request that is known to request an upgrade. */
export function upgradeToBackend(request: IncomingMessage, response: ServerResponse, backend: Backend): void {
  const path = backend.path === '' ? '/' : backend.path;
  new BackendExchange(request, response, backend, { shown: path, path, prefix: undefined }).start();
}
