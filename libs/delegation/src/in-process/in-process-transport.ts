import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage, ServerResponse, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { Transport, TransportRequest, TransportResponse } from '@apichain/client';
import { pause } from '@apichain/meta';
import { InProcessResponseBody, InProcessResponseSocket, asSocket, connectionReset } from './in-process-response.ts';

/** The message classes of a server. */
interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Sends requests to a server of this process through its whole handler chain, without a port, TLS or HTTP: the server gets its messages as if they had
 * been read from a connection. `headers` are sent with every request. A request fails with Error when the transport is closed.
 */
export function inProcessTransport(
  serve: RequestListener,
  headers: Readonly<Record<string, string>>,
  messages: MessageClasses = { IncomingMessage, ServerResponse },
): Transport {
  /** What the server does for a request is not part of what its client was doing. */
  const outside = AsyncLocalStorage.snapshot();
  const open = new Set<InProcessResponseSocket>();
  let closed = false;
  const send = (sent: TransportRequest): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      const { signal } = sent;
      if (closed) throw new Error('the transport is closed');
      if (signal?.aborted === true) throw abortError(signal);
      const body = new InProcessResponseBody((reason) => socket.destroy(reason));
      const socket = new InProcessResponseSocket(body, ({ status, headers: received }) =>
        resolve({ status, headers: received, body }),
      );
      const onAbort = () => socket.destroy(abortError(signal));
      open.add(socket);
      signal?.addEventListener('abort', onAbort, { once: true });
      // A response that is destroyed may name a reason, which the client of a real connection would not learn.
      socket.on('error', () => undefined);
      socket.once('close', () => {
        open.delete(socket);
        signal?.removeEventListener('abort', onAbort);
        // An error costs more than a small response, so there is one only for a response that is not whole.
        if (body.isEnded) return;
        const reason = signal?.aborted === true ? abortError(signal) : connectionReset();
        body.fail(reason);
        reject(reason);
      });
      const request = requestOf(sent, headers, new messages.IncomingMessage(asSocket(socket)));
      const response = new messages.ServerResponse(request);
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
      response.assignSocket(asSocket(socket));
      socket.on('drain', () => response.emit('drain'));
      response.once('finish', () => {
        body.end();
        // A stream that is destroyed by the callback of a write makes an error for further ones.
        process.nextTick(() => socket.destroy());
      });
      const begin = () => outside(() => (socket.destroyed ? undefined : serve(request, response)));
      // A client that asks again and again, and a server that responds at once, would never let the event loop serve a connection.
      const wait = pause();
      if (wait === undefined) process.nextTick(begin);
      else void wait.then(begin);
    });
  return {
    send,
    close: async () => {
      closed = true;
      for (const socket of open) socket.destroy();
    },
  };
}

/** Fills a message with what a parser would have read from a connection. */
function requestOf(
  { method, path, headers, body }: TransportRequest,
  fixed: Readonly<Record<string, string>>,
  request: IncomingMessage,
): IncomingMessage {
  const all = { Host: 'localhost', ...fixed, ...headers };
  const received: IncomingHttpHeaders = {};
  const raw: string[] = [];
  const add = (name: string, value: string) => {
    received[name.toLowerCase()] = value;
    raw.push(name, value);
  };
  for (const [name, value] of Object.entries(all)) add(name, value);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes !== undefined) add('Content-Length', String(bytes.length));
  Object.assign(request, { method, url: path, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 });
  request.rawHeaders = raw;
  request.headers = received;
  if (bytes !== undefined && bytes.length > 0) request.push(bytes);
  request.push(null);
  request.complete = true;
  return request;
}

const abortError = (signal: AbortSignal | undefined): Error =>
  Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });
