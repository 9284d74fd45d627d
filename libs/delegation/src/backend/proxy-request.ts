import type { IncomingMessage, ServerResponse } from 'node:http';
import { BackendExchange } from './backend-exchange.ts';
import type { Backend } from './backend.ts';
import { newBadRequest } from '@apichain/meta';
import { scopeOf } from '@apichain/request';

/**
 * Forwards a request to a backend that appears below a path of this server, and streams the response back. Redirects within the backend are
 * rewritten to lead through this server. Responds with ServiceUnavailable when the backend cannot be reached.
 * After UpgradeAwareHandler of k8s.io/apimachinery/pkg/util/proxy; links in HTML pages are not rewritten.
 */
export function proxyRequest(request: IncomingMessage, response: ServerResponse, backend: Backend): void {
  if (asksForUpgrade(request)) {
    upgradeToBackend(request, response, backend);
    return;
  }
  const { url = '/', method = 'GET' } = request;
  const mark = url.indexOf('?');
  const [shown, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark)];
  const path = shown.endsWith('/') && !backend.path.endsWith('/') ? `${backend.path}/` : backend.path;
  if (path === '' && (method === 'GET' || method === 'HEAD')) {
    response.writeHead(301, { Location: `${shown}/${query}` }).end();
    return;
  }
  const prefix = shown.endsWith(path) ? shown.slice(0, shown.length - path.length) : shown;
  const asked = `${path === '' ? '/' : path}${query}`;
  new BackendExchange(request, response, backend, { shown, path: asked, prefix }).start();
}

const asksForUpgrade = (request: IncomingMessage): boolean => scopeOf(request).pendingUpgrade !== undefined;

/**
 * Joins the client with a backend over an upgraded connection (WebSocket, SPDY) of any protocol. Until the connection is upgraded, failures are
 * sent to the client as errors. Throws BadRequest when the client did not request an upgrade.
 */
export function streamToBackend(request: IncomingMessage, response: ServerResponse, backend: Backend): void {
  if (!asksForUpgrade(request)) throw newBadRequest('Upgrade request required');
  upgradeToBackend(request, response, backend);
}

/** As streamToBackend, for a request that is known to request an upgrade. */
function upgradeToBackend(request: IncomingMessage, response: ServerResponse, backend: Backend): void {
  const path = backend.path === '' ? '/' : backend.path;
  new BackendExchange(request, response, backend, { shown: path, path, prefix: undefined }).start();
}
