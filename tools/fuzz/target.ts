import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import type { HttpTransportOptions } from '@apichain/client';
import { targetOf, type FuzzRequest } from './request.ts';

/** The server and its credentials; `token` is used, not `tokenFile`. */
export interface TargetOptions extends HttpTransportOptions {
  /** Milliseconds after which a request without a response counts as a timeout. */
  readonly timeout: number;
  readonly connections: number;
}

/** The result of a request. */
export type Outcome =
  | { readonly kind: 'response'; readonly status: number; readonly body: string }
  | { readonly kind: 'reset'; readonly message: string }
  | { readonly kind: 'timeout' };

/** The number of characters of a response that are kept for display. */
const shownLength = 2_000;
/** A response that is still streaming after this time counts as complete. */
const streamTime = 3_000;

/** A server under test. */
export class Target {
  readonly #url: URL;
  readonly #agent: http.Agent;
  readonly #send: typeof http.request;
  readonly #options: TargetOptions;

  constructor(options: TargetOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    const secure = this.#url.protocol === 'https:';
    const pool = { keepAlive: true, maxSockets: options.connections };
    this.#send = secure ? https.request : http.request;
    this.#agent = secure
      ? new https.Agent({
          ...pool,
          ca: options.ca,
          cert: options.cert,
          key: options.key,
          rejectUnauthorized: options.insecureSkipTlsVerify !== true,
        })
      : new http.Agent(pool);
  }

  /**
   * Sends a request. If a kept-alive connection was reset, the request is sent once more on a new one. With `unread` no byte of the body is taken,
   * and the connection ends after three seconds.
   */
  async send(request: FuzzRequest, unread = false): Promise<Outcome> {
    const first = await this.#attempt(request, unread);
    if (first.kind !== 'reset' || !first.reused) return first;
    return this.#attempt(request, unread);
  }

  close(): void {
    this.#agent.destroy();
  }

  #attempt(request: FuzzRequest, unread: boolean): Promise<Outcome & { readonly reused?: boolean }> {
    const { token, timeout } = this.#options;
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...request.headers,
      ...(request.body === undefined ? {} : { 'content-length': String(request.body.length) }),
    };
    const { hostname, port, pathname } = this.#url;
    return new Promise((resolve) => {
      const call = this.#send({
        hostname,
        port,
        agent: this.#agent,
        method: request.method,
        path: `${pathname === '/' ? '' : pathname}${targetOf(request)}`,
        headers,
      });
      const deadline = setTimeout(() => {
        resolve({ kind: 'timeout' });
        call.destroy();
      }, timeout);
      call.once('response', (response) => {
        clearTimeout(deadline);
        void readResponse(response.statusCode ?? 0, response, unread).then(resolve);
      });
      call.once('upgrade', (response, socket) => {
        clearTimeout(deadline);
        socket.destroy();
        resolve({ kind: 'response', status: response.statusCode ?? 0, body: '' });
      });
      // After the response has started, readResponse reports its errors.
      call.on('error', (error) => {
        clearTimeout(deadline);
        resolve({ kind: 'reset', message: error.message, reused: call.reusedSocket });
      });
      call.end(request.body);
    });
  }
}

/** The status and the beginning of the body. A body that breaks off counts as a reset connection. */
export function readResponse(status: number, response: Readable, unread: boolean): Promise<Outcome> {
  let body = '';
  return new Promise((resolve) => {
    const complete = () => resolve({ kind: 'response', status, body });
    const enough = setTimeout(() => {
      complete();
      response.destroy();
    }, streamTime);
    response.setEncoding('latin1');
    if (unread) return;
    response.on('data', (chunk: string) => {
      if (body.length < shownLength) body += chunk.slice(0, shownLength - body.length);
    });
    response.once('end', () => {
      clearTimeout(enough);
      complete();
    });
    const brokenOff = (why: string) => {
      clearTimeout(enough);
      resolve({ kind: 'reset', message: `in the middle of the response: ${why}` });
    };
    response.once('error', (error) => brokenOff(error.message));
    response.once('close', () => {
      if (!response.readableEnded) brokenOff('closed');
    });
  });
}
