import type { ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { asError } from '@apichain/meta';
import type { RequestHandler } from 'http-proxy-middleware';
import { noResponse, type ForwardedRequest } from './forwarded-request.ts';
import { proxyLibrary } from './proxy-library.ts';

/** Bytes of an answer's head, as many as a request may have: notes for an audit event may be in there. */
const maxAnswerHeadBytes = 1024 * 1024;

let middleware: RequestHandler<ForwardedRequest, ServerResponse> | undefined;

/**
 * One instance for every destination: it keeps nothing of its own, connections belong to the agent of a destination. Its hooks are these
 * few functions, and what concerns one request is in its exchange. The library's own plugins, which log and format, are left out.
 */
function createMiddleware(): RequestHandler<ForwardedRequest, ServerResponse> {
  return proxyLibrary().createProxyMiddleware<ForwardedRequest, ServerResponse>({
    router: ({ exchange: { destination } }, _response, options) => {
      options.agent = destination.agent;
      const { protocol, host } = destination.target;
      // Taken by the library as further options of the request that it makes. The name is that of the server, unless the agent knows a better
      // one: Node would take it from the Host header, and that is the client's.
      const servername = protocol === 'https:' && isIP(host) === 0 ? host : '';
      options.ssl = { maxHeaderSize: maxAnswerHeadBytes, servername };
      return destination.target;
    },
    // Whether a certificate is checked says the agent.
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
        proxy.on('proxyRes', (answer, forwarded) => forwarded.exchange.answered(answer, forwarded));
        proxy.on('error', (error, forwarded) => forwarded?.exchange.failed(error, forwarded));
        proxy.on('econnreset', (error, forwarded) => forwarded.exchange.failed(error, forwarded));
      },
    ],
  });
}

/** Sends a request; its exchange is told what comes of it. Never throws. */
export function forward(forwarded: ForwardedRequest): void {
  const failed = (error: unknown) => forwarded.exchange.failed(asError(error ?? 'not passed on'), forwarded);
  middleware ??= createMiddleware();
  middleware(forwarded, noResponse, failed).catch(failed);
}
