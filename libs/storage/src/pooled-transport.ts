import { grpcStatus } from '@apichain/embedded-etcd/grpc-status';
import { errorMessage } from '@apichain/meta';
import { EtcdError, neverSent } from './etcd-error.ts';
import { sameCredentials, type EtcdCredentials } from './etcd-credentials.ts';
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
  #closed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#choice = new EndpointChoice(targetsOf(options.servers));
    this.#hasChoice = options.servers.length > 1;
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
    this.#closed = true;
    this.#opening?.discard();
    this.#connection?.abandon(new EtcdError(grpcStatus.UNAVAILABLE, 'the connection was closed'));
    this.#pool?.close();
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
        return connection;
      });
    } catch (error) {
      throw error instanceof EtcdError ? error : neverSent(errorMessage(error));
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
