import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { grpcStatus } from '@apichain/etcd-api';
import { errorMessage } from '@apichain/meta';
import { sameCredentials, type EtcdCredentials } from '../etcd-credentials.ts';
import { EtcdError, neverSent } from '../etcd-error.ts';
import { EndpointChoice } from './endpoint-choice.ts';
import { EndpointConnection, untilReady } from './endpoint-connection.ts';
import { openPool, targetsOf, type EtcdPool, type PooledClient } from './etcd-pool.ts';
import type {
  EtcdTransport,
  MessageStream,
  StreamHandlers,
  StreamRequest,
  TransportOptions,
  UnaryRequest,
} from './etcd-transport.ts';

/** How long one endpoint may take to connect when there are others, in milliseconds. */
const maxConnectTime = 2_000;

/** Sends calls to one endpoint, over one connection of etcd3's pool, until the endpoint fails; then uses the next endpoint. */
export class PooledTransport implements EtcdTransport {
  readonly #options: TransportOptions;
  readonly #choice: EndpointChoice;
  readonly #hasChoice: boolean;
  #pool: (EtcdPool & { readonly credentials: EtcdCredentials }) | undefined;
  #connection: EndpointConnection | undefined;
  #connecting: Promise<EndpointConnection> | undefined;
  #opening: PooledClient | undefined;
  readonly #pace: OutagePace;
  readonly #closing = new AbortController();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#choice = new EndpointChoice(targetsOf(options.servers));
    this.#hasChoice = options.servers.length > 1;
    this.#pace = new OutagePace(options.servers.length);
  }

  async call(request: UnaryRequest): Promise<Buffer> {
    const connection = this.#usable() ?? (await this.#connect(request.timeout));
    return connection.call(request);
  }

  async stream(request: StreamRequest, handlers: StreamHandlers): Promise<MessageStream> {
    const connection = this.#usable() ?? (await this.#connect(request.timeout));
    return connection.stream(request, handlers);
  }

  close(): void {
    this.#closing.abort(new Error('the connection is closed'));
    this.#opening?.discard();
    this.#connection?.abandon(new EtcdError(grpcStatus.UNAVAILABLE, 'the connection was closed'));
    this.#pool?.close();
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  #usable(): EndpointConnection | undefined {
    const connection = this.#connection;
    return connection?.isUsable === true ? connection : undefined;
  }

  #connect(timeout: number): Promise<EndpointConnection> {
    this.#connecting ??= this.#open(timeout).finally(() => {
      this.#connecting = undefined;
      this.#opening = undefined;
    });
    return this.#connecting;
  }

  async #open(timeout: number): Promise<EndpointConnection> {
    if (this.#closed) throw neverSent('the connection is closed');
    this.#connection?.leave();
    this.#connection = undefined;
    const limit = this.#hasChoice ? Math.min(timeout, maxConnectTime) : timeout;
    await this.#probe(limit);
    try {
      return await this.#current().lend(async (lent) => {
        this.#opening = lent;
        try {
          await untilReady(lent, limit);
        } catch (error) {
          lent.discard();
          throw error;
        }
        const connection = new EndpointConnection(lent, { watchSilence: this.#hasChoice });
        this.#connection = connection;
        this.#pace.end();
        return connection;
      });
    } catch (error) {
      throw error instanceof EtcdError ? error : neverSent(errorMessage(error));
    }
  }

  /** During an outage, a client is opened only for an endpoint that accepts connections, and endpoints are tried at the pace of `OutagePace`. */
  async #probe(limit: number): Promise<void> {
    if (!this.#choice.isOutage) return;
    await this.#pause();
    const endpoint = this.#choice.preferred;
    if (endpoint === undefined) return;
    try {
      await probeEndpoint(endpoint, limit);
    } catch (error) {
      this.#choice.failed(endpoint);
      throw error;
    } finally {
      this.#pace.tried(performance.now());
    }
    if (this.#closed) throw neverSent('the connection is closed');
  }

  async #pause(): Promise<void> {
    const wait = this.#pace.waitAt(performance.now());
    if (wait === 0) return;
    try {
      await delay(wait, undefined, { signal: this.#closing.signal });
    } catch (error) {
      throw neverSent(errorMessage(error));
    }
  }

  /** The pool for the current credentials. A pool keeps the credentials that it was opened with. */
  #current(): EtcdPool {
    const credentials = this.#options.credentials?.() ?? {};
    if (this.#pool === undefined || !sameCredentials(this.#pool.credentials, credentials)) {
      this.#pool?.close();
      const { servers, service = 'KV' } = this.#options;
      this.#pool = { ...openPool({ servers, service, credentials, choice: this.#choice }), credentials };
    }
    return this.#pool;
  }
}

/** The share of an outage so far after which all endpoints are tried once more. A short outage is hardly prolonged, a long one by half a second. */
const share = 1 / 8;
const mostMs = 500;

/**
 * The pace at which endpoints are tried while none accepts connections. All parts of a server share it, so that their retries together cost no more
 * than those of one. The random part keeps the servers of a cluster apart.
 */
export class OutagePace {
  readonly #endpoints: number;
  readonly #random: () => number;
  #began: number | undefined;
  #triedAt = 0;

  /** `random` returns numbers from 0 (inclusive) to 1 (exclusive). */
  constructor(endpoints: number, random: () => number = Math.random) {
    this.#endpoints = endpoints;
    this.#random = random;
  }

  /** Milliseconds to wait at `now` (milliseconds) before the next endpoint is tried. */
  waitAt(now: number): number {
    this.#began ??= now;
    const round = Math.min((now - this.#began) * share, mostMs);
    return Math.max(0, this.#triedAt + (round / this.#endpoints) * (0.75 + this.#random() / 2) - now);
  }

  /** An endpoint was tried in vain. */
  tried(now: number): void {
    this.#triedAt = now;
  }

  /** The outage is over. */
  end(): void {
    this.#began = undefined;
  }
}

/**
 * Opens and closes a connection to an endpoint (a URL, or `unix:` with a path) without gRPC. A client of the library takes some twenty times as long
 * to find out that nothing listens there, and during an outage every part of a server tries again and again. Throws EtcdError when no connection can
 * be opened within `timeout` milliseconds; no request has been sent then.
 */
export async function probeEndpoint(endpoint: string, timeout: number): Promise<void> {
  const socket = open(endpoint);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
      socket.setTimeout(timeout, () => reject(new Error('timed out')));
    });
  } catch (error) {
    throw neverSent(errorMessage(error));
  } finally {
    // The close of a socket may report an error, which is of no interest any more.
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

function open(endpoint: string): Socket {
  if (endpoint.startsWith('unix:')) {
    const path = endpoint.slice('unix:'.length);
    return connect({ path: path.startsWith('//') ? fileURLToPath(`file:${path}`) : path });
  }
  const { hostname, port } = new URL(endpoint.includes('://') ? endpoint : `http://${endpoint}`);
  return connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
}
