import type { HttpTransportOptions } from '@apichain/client';
import { Pool, type Dispatcher } from 'undici';
import { bearer } from '../servers/get.ts';

/*
 * HTTP exchanges without the streams of a client library. With such streams, the load generator takes more processor time than a good
 * server, and the benchmark would measure the limit of the load generator.
 */

export type ExchangeOptions = Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers' | 'body'>;

export interface ExchangeResult {
  readonly status: number;
  /** Empty if the caller did not request the body and the exchange succeeded. */
  readonly body: Buffer;
}

/** The dispatcher requires this callback. */
const onRequestStart = () => undefined;

/** Resolves when the whole response has arrived. Throws Error when the exchange fails. */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions, keepBody: boolean): Promise<ExchangeResult> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let keep = keepBody;
    dispatcher.dispatch(options, {
      onRequestStart,
      onResponseStart(_controller, statusCode) {
        status = statusCode;
        keep ||= statusCode >= 400;
      },
      onResponseData(_controller, chunk) {
        if (keep) chunks.push(chunk);
      },
      onResponseEnd() {
        resolve({ status, body: Buffer.concat(chunks) });
      },
      onResponseError(_controller, error) {
        reject(error);
      },
    });
  });
}

export interface OpenExchange {
  readonly status: number;
  /** Ends the exchange; then `done` resolves. */
  stop(): void;
  /** Resolves when the response has ended. Rejects with Error when it was aborted. */
  readonly done: Promise<void>;
}

/** Resolves when the response headers have arrived. `onChunk` is called with each chunk of the body. Throws Error when there is no response. */
export function openExchange(
  dispatcher: Dispatcher,
  options: ExchangeOptions,
  onChunk: (chunk: Buffer) => void,
): Promise<OpenExchange> {
  return new Promise((resolve, reject) => {
    const { promise: done, resolve: end, reject: fail } = Promise.withResolvers<void>();
    let opened = false;
    let stopped = false;
    dispatcher.dispatch(options, {
      onRequestStart,
      onResponseStart(controller, status) {
        opened = true;
        const stop = () => {
          stopped = true;
          controller.abort(new Error('stopped'));
        };
        resolve({ status, stop, done });
      },
      onResponseData(_controller, chunk) {
        onChunk(chunk);
      },
      onResponseEnd() {
        end();
      },
      onResponseError(_controller, error) {
        if (stopped) end();
        else (opened ? fail : reject)(error);
      },
    });
  });
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface CallOptions {
  readonly body?: string | Buffer;
  /** Statuses of 400 and above that are not errors. */
  readonly accept?: readonly number[];
}

/** What a measurement needs of an HTTP client. Bodies are JSON. */
export interface BenchClient {
  /** Returns the body of a response. Throws Error for a status of 400 and above that is not in `accept`. */
  read(method: Method, path: string, options?: CallOptions): Promise<Buffer>;
  /** Opens a watch. `onChunk` is called with each chunk of bytes. Resolves when the headers have arrived. Throws Error for another status than 200. */
  watch(path: string, onChunk: (chunk: Buffer) => void): Promise<unknown>;
  /** Ends the watches, and closes the connections. */
  close(): Promise<void>;
}

/** A client over HTTP/1.1 with a connection for each watch and for each request in flight. */
export class HttpClient implements BenchClient {
  readonly #watches: OpenExchange[] = [];
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, ca, cert, key, token, insecureSkipTlsVerify }: HttpTransportOptions, connections: number) {
    this.#headers = {
      ...{ accept: 'application/json', 'user-agent': 'bench' },
      ...(token === undefined ? {} : bearer(token)),
    };
    this.#pool = new Pool(url, {
      connections,
      // All servers are measured with one request at a time per connection.
      ...{ pipelining: 1, allowH2: false },
      connect: { ca, cert, key, rejectUnauthorized: insecureSkipTlsVerify !== true },
      ...{ headersTimeout: 120_000, bodyTimeout: 0 },
    });
  }

  /** As `read`, without the body. */
  async call(method: Method, path: string, options?: CallOptions): Promise<void> {
    await this.#exchange(method, path, options, false);
  }

  read(method: Method, path: string, options?: CallOptions): Promise<Buffer> {
    return this.#exchange(method, path, options, true);
  }

  async #exchange(method: Method, path: string, options: CallOptions = {}, keepBody: boolean): Promise<Buffer> {
    const { body = null, accept = [] } = options;
    const headers = body === null ? this.#headers : { ...this.#headers, 'content-type': bodyType(method) };
    const response = await exchange(this.#pool, { method, path, headers, body }, keepBody);
    checkStatus(`${method} ${path}`, response, accept);
    return response.body;
  }

  async watch(path: string, onChunk: (chunk: Buffer) => void): Promise<OpenExchange> {
    const watch = await openExchange(this.#pool, { method: 'GET', path, headers: this.#headers }, onChunk);
    if (watch.status !== 200) throw new Error(`watch ${path}: ${watch.status}`);
    this.#watches.push(watch);
    return watch;
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.stop();
    await Promise.allSettled(this.#watches.map(({ done }) => done));
    await this.#pool.destroy();
  }
}

/** The content type of the body of a request: patches are merge patches. */
export const bodyType = (method: Method): string =>
  method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';

/** Throws Error for a status of 400 and above that is not in `accept`. */
export function checkStatus(what: string, { status, body }: ExchangeResult, accept: readonly number[]): void {
  if (status < 400 || accept.includes(status)) return;
  throw new Error(`${what}: ${status} ${body.toString('utf8').slice(0, 300)}`);
}
