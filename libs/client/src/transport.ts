import { serverVerification } from '@apichain/x509';
import type * as Undici from 'undici';
import type { Dispatcher } from 'undici';
import { ExecCredentials, type ExecCommand } from './exec-credentials.ts';
import { TokenFile } from './token-file.ts';
import { createRequire } from 'node:module';
import { lazy } from '@apichain/meta';

const require = createRequire(import.meta.url);

/** Loads undici on the first connection: a server that connects only to itself does not need it. */
const httpLibrary = lazy(() => require('undici') as typeof Undici);

/** One request to an API server. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, e.g. `/api/v1/pods?limit=5`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** The body is a stream that may be idle for a long time (a watch). */
  readonly longRunning?: boolean;
}

/** A response whose headers have arrived. The caller must read the body or call `dump`, so that the connection is released. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer> & { dump(): Promise<void> };
}

/** Sends requests to an API server, over HTTP(S) or in process. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}

/** The server of a transport, and the client's credentials. */
export interface HttpTransportOptions {
  /** e.g. `https://127.0.0.1:6443`. The paths of requests are appended to its path. */
  readonly url: string;
  /** PEM texts. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
  /** A file with the token, which is read again as it is rotated. Takes precedence over `token`. */
  readonly tokenFile?: string;
  /** A command that prints a token, or a certificate with its key. They take precedence over the others. */
  readonly exec?: ExecCommand;
  /** The name to expect in the server's certificate, if it differs from the host of `url`. */
  readonly serverName?: string;
  /** Accepts any certificate of the server. */
  readonly insecureSkipTlsVerify?: boolean;
  readonly userAgent?: string;
  /** Sent with every request, e.g. the front-proxy identity headers. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The maximum number of connections; a watch occupies one. */
  readonly connections?: number;
}

const requestTimeoutMs = 60_000;

function withoutLastSlashes(path: string): string {
  let { length } = path;
  while (path[length - 1] === '/') length--;
  return path.slice(0, length);
}

/** The connections of a transport. A client certificate belongs to a connection, so another one needs others. */
class Pools {
  readonly #origin: string;
  readonly #options: HttpTransportOptions;
  readonly #pools = new Set<Undici.Pool>();
  #cert: string | undefined;
  #current: Undici.Pool;

  constructor(origin: string, options: HttpTransportOptions) {
    this.#origin = origin;
    this.#options = options;
    this.#current = this.#open(options.cert, options.key);
  }

  /** The pool with a client certificate; that of the options, if there is none. Requests of a former pool end as they would have. */
  with({
    cert = this.#options.cert,
    key = this.#options.key,
  }: Pick<HttpTransportOptions, 'cert' | 'key'>): Undici.Pool {
    if (cert === this.#cert) return this.#current;
    const former = this.#current;
    void former.close().finally(() => this.#pools.delete(former));
    return (this.#current = this.#open(cert, key));
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#pools].map((pool) => pool.destroy()));
  }

  #open(cert: string | undefined, key: string | undefined): Undici.Pool {
    const { Pool } = httpLibrary();
    const { connections = 64, ca, insecureSkipTlsVerify, serverName } = this.#options;
    const pool = new Pool(this.#origin, {
      connections,
      connect: {
        ...serverVerification,
        ...(ca === undefined ? {} : { ca }),
        ...(insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        ...(serverName === undefined ? {} : { servername: serverName }),
        timeout: 10_000,
      },
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
    });
    this.#cert = cert;
    this.#pools.add(pool);
    return pool;
  }
}

/**
 * A transport over HTTP(S) with keep-alive and one connection pool. A connection failure rejects `send` with the socket's error. Throws the error
 * of reading `tokenFile`; `send` rejects with that of `exec`.
 */
export function httpTransport(options: HttpTransportOptions): Transport {
  const { origin, pathname } = new URL(options.url);
  const prefix = withoutLastSlashes(pathname);
  const pools = new Pools(origin, options);
  const fixed: Record<string, string | string[]> = {
    'user-agent': options.userAgent ?? 'apichain',
    ...options.headers,
  };
  if (options.token !== undefined) fixed['authorization'] = `Bearer ${options.token}`;
  const exec = options.exec === undefined ? undefined : new ExecCredentials(options.exec);
  const tokens = options.tokenFile === undefined ? undefined : new TokenFile(options.tokenFile);
  return {
    async send(request) {
      const credential = exec === undefined ? undefined : await exec.current();
      const dispatch: Dispatcher.RequestOptions = {
        method: request.method,
        path: prefix + request.path,
        headers: {
          ...fixed,
          ...(tokens === undefined ? {} : { authorization: `Bearer ${tokens.current()}` }),
          ...(credential?.token === undefined ? {} : { authorization: `Bearer ${credential.token}` }),
          ...request.headers,
        },
        body: request.body ?? null,
        // Otherwise undici closes the connection after every DELETE with a body.
        reset: false,
        signal: request.signal ?? null,
        ...(request.longRunning === true ? { bodyTimeout: 0 } : {}),
      };
      const response = await pools.with(credential ?? options).request(dispatch);
      if (response.statusCode === 401) {
        tokens?.expire();
        if (credential !== undefined) exec?.refused(credential);
      }
      return { status: response.statusCode, headers: response.headers, body: response.body };
    },
    close: () => pools.destroy(),
  };
}
