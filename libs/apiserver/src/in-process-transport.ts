import http, { type RequestListener } from 'node:http';
import { duplexPair, type Duplex } from 'node:stream';
import type { Transport, TransportRequest, TransportResponse } from '@apichain/client';

/** Node sets no Content-Length for the body of a DELETE. */
const lengthOf = ({ body }: TransportRequest): Record<string, number> =>
  body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };

/** The number of idle connections that are kept. */
const idleConnections = 32;

/** Socket methods that http.Agent calls; they have no effect on a pair of streams. */
const socketMethods = {
  setKeepAlive: () => undefined,
  setTimeout: () => undefined,
  ref: () => undefined,
  unref: () => undefined,
};

/**
 * Sends requests to a server of this process through its whole handler chain, without a port or TLS. `headers` are sent with
 * every request. A request fails with Error when the transport is closed.
 */
export function inProcessTransport(serve: RequestListener, headers: Readonly<Record<string, string>>): Transport {
  const server = http.createServer(serve);
  const open = new Set<Duplex>();
  let closed = false;
  const connect = (): Duplex => {
    const [near, far] = duplexPair();
    open.add(near);
    near.once('close', () => {
      open.delete(near);
      // Closing one side of a duplex pair only ends the input of the other side. A real connection closes both sides.
      far.destroy();
    });
    server.emit('connection', far);
    return Object.assign(near, socketMethods);
  };
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: idleConnections });
  agent.createConnection = connect;
  const send = (request: TransportRequest): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      if (closed) throw new Error('the transport is closed');
      const sent = http.request({
        method: request.method,
        path: request.path,
        headers: { Host: 'localhost', ...headers, ...request.headers, ...lengthOf(request) },
        agent,
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      });
      sent.on('error', reject);
      sent.on('response', (answer) => {
        const dump = async () => {
          answer.resume();
        };
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Object.assign(answer, { dump }) });
      });
      sent.end(request.body);
    });
  return {
    send,
    close: async () => {
      closed = true;
      for (const socket of open) socket.destroy();
    },
  };
}
