import type { ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { asError, lazy } from '@apichain/meta';
import type * as ProxyMiddleware from 'http-proxy-middleware';
import type { RequestHandler } from 'http-proxy-middleware';
import { noResponse, type ForwardedRequest } from './forwarded-request.ts';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** http-proxy-middleware, loaded with the first forwarded request: a chain in one process may never need it. */
const proxyLibrary = lazy(() => require('http-proxy-middleware') as typeof ProxyMiddleware);

/** The limit in bytes for the headers of a response, the same as for a request: the headers may carry notes for an audit event. */
const maxResponseHeadBytes = 1024 * 1024;

/**
 * One instance serves every destination. It has no state of its own: connections belong to the agent of a destination, and the state of a request
 * is in its exchange. The library's own plugins, which log and format, are not used.
 */
const middleware = lazy((): RequestHandler<ForwardedRequest, ServerResponse> =>
  proxyLibrary().createProxyMiddleware<ForwardedRequest, ServerResponse>({
    router: ({ exchange: { destination } }, _response, options) => {
      options.agent = destination.agent;
      const { protocol, host } = destination.target;
      // The library uses these as further options of its request. The server name is the target's, unless the agent has a more specific one. Node
      // would take the name from the Host header, which the client controls.
      const servername = protocol === 'https:' && isIP(host) === 0 ? host : '';
      options.ssl = { maxHeaderSize: maxResponseHeadBytes, servername };
      return destination.target;
    },
    // The agent decides whether certificates are verified.
    selfHandleResponse: true,
    pathFilter: () => true,
    ejectPlugins: true,
    plugins: [
      (proxy) => {
        proxy.on('proxyReq', (outgoing, forwarded) => {
          try {
            forwarded.exchange.begin(outgoing, forwarded);
          } catch (error) {
            outgoing.destroy(asError(error));
          }
        });
        proxy.on('proxyRes', (upstream, forwarded) => forwarded.exchange.answered(upstream, forwarded));
        proxy.on('error', (error, forwarded) => forwarded?.exchange.failed(error, forwarded));
        proxy.on('econnreset', (error, forwarded) => forwarded.exchange.failed(error, forwarded));
      },
    ],
  }),
);

/** Sends a request and reports the outcome to its exchange. Never throws. */
export function forward(forwarded: ForwardedRequest): void {
  const failed = (error: unknown) => forwarded.exchange.failed(asError(error ?? 'not passed on'), forwarded);
  middleware()(forwarded, noResponse, failed).catch(failed);
}
