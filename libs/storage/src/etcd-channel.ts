import { connect, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { inProcessEtcd } from '@apichain/embedded-etcd/in-process';
import { grpcStatus } from './grpc-status.ts';
import type { EtcdCredentials } from './etcd-credentials.ts';
import { EtcdError, neverSent } from './etcd-error.ts';
import { openStream, type MessageStream, type StreamHandlers } from './grpc-stream.ts';
import { InProcessEndpoint } from './in-process-endpoint.ts';
import { unaryCall, type UnaryRequest } from './grpc-unary-call.ts';

export interface ChannelOptions {
  /** As EtcdOptions.servers. */
  readonly servers: readonly string[];
  /** Asked for every new connection. */
  readonly credentials?: () => EtcdCredentials;
}

export interface StreamRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Milliseconds until a connection that is not there yet is given up. */
  readonly timeout: number;
}

/** gRPC calls to one of several endpoints. */
export interface GrpcChannel {
  /**
   * Resolves with the encoded answer. Throws EtcdError; `wasNeverSent` tells whether the call may be sent again, and it then
   * goes to the next endpoint.
   */
  call(request: UnaryRequest): Promise<Buffer>;
  /** Opens a stream. Throws EtcdError when no connection can be had. */
  stream(request: StreamRequest, handlers: StreamHandlers): Promise<MessageStream>;
  close(): void;
}

/** As kube-apiserver's client: a dead peer is noticed after 40 seconds even if nothing is sent. */
const keepaliveTime = 30_000;
const keepaliveTimeout = 10_000;
/** How much of an answer may be on its way: pages of large lists should not wait for the round trips of flow control. */
const streamWindow = 4 * 1024 * 1024;
const sessionWindow = 16 * 1024 * 1024;
const unixPrefix = /^unix:(\/\/)?/;

/** One endpoint and the session to it, which is opened when first needed and again after it broke. */
class Endpoint {
  readonly #url: string;
  readonly #options: SecureClientSessionOptions;
  readonly #credentials: () => EtcdCredentials;
  #session: ClientHttp2Session | undefined;
  /** The session that is being opened. */
  #opening: ClientHttp2Session | undefined;
  #connecting: Promise<ClientHttp2Session> | undefined;
  #calls = 0;

  constructor(server: string, { credentials = () => ({}) }: ChannelOptions) {
    const isUnix = unixPrefix.test(server);
    const path = server.replace(unixPrefix, '');
    this.#credentials = credentials;
    this.#url = isUnix ? 'http://localhost' : server;
    this.#options = {
      settings: { enablePush: false, initialWindowSize: streamWindow },
      // What is in flight is bounded by the callers, as in every gRPC client.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
      ...(isUnix ? { createConnection: () => connectSocket(path) } : {}),
    };
  }

  async call(request: UnaryRequest): Promise<Buffer> {
    const session = this.#usable() ?? (await this.#connect(request.timeout));
    this.#begin(session);
    try {
      return await unaryCall(session, request);
    } finally {
      this.#end(session);
    }
  }

  async stream(request: StreamRequest, { onMessage, onEnd }: StreamHandlers): Promise<MessageStream> {
    const session = this.#usable() ?? (await this.#connect(request.timeout));
    this.#begin(session);
    let open = true;
    const end = () => {
      if (open) this.#end(session);
      open = false;
    };
    const stream = openStream(session, request, {
      onMessage,
      onEnd: (cause) => {
        end();
        onEnd(cause);
      },
    });
    return {
      ...stream,
      cancel: () => {
        end();
        stream.cancel();
      },
    };
  }

  /** An idle session must not keep the process alive. */
  #begin(session: ClientHttp2Session): void {
    if (this.#calls++ === 0) session.ref();
  }

  #end(session: ClientHttp2Session): void {
    if (--this.#calls === 0 && !session.destroyed) session.unref();
  }

  close(): void {
    this.#opening?.destroy();
    this.#session?.destroy();
    this.#session = undefined;
  }

  #usable(): ClientHttp2Session | undefined {
    const session = this.#session;
    return session === undefined || session.closed || session.destroyed ? undefined : session;
  }

  #connect(timeout: number): Promise<ClientHttp2Session> {
    this.#connecting ??= this.#open(timeout).finally(() => {
      this.#connecting = undefined;
      this.#opening = undefined;
    });
    return this.#connecting;
  }

  #open(timeout: number): Promise<ClientHttp2Session> {
    return new Promise((resolve, reject) => {
      const session = connect(this.#url, { ...this.#options, ...secure(this.#credentials()) });
      this.#opening = session;
      const timer = setTimeout(() => session.destroy(new Error('timed out')), timeout);
      let cause: Error | undefined;
      session.on('error', (error: Error) => {
        cause = error;
      });
      session.once('connect', () => {
        clearTimeout(timer);
        // Node says so of a session that was given up while its socket was still connecting, too.
        if (session.destroyed) return;
        session.setLocalWindowSize(sessionWindow);
        this.#session = session;
        keepAlive(session);
        resolve(session);
      });
      // Calls under way are finished on a session that the server ends; new ones go to another.
      session.once('goaway', () => this.#forget(session));
      session.once('close', () => {
        clearTimeout(timer);
        this.#forget(session);
        reject(neverSent(cause?.message ?? 'the connection was closed'));
      });
    });
  }

  #forget(session: ClientHttp2Session): void {
    if (this.#session === session) this.#session = undefined;
  }
}

const secure = ({ certificate, key, ca }: EtcdCredentials): SecureClientSessionOptions => ({
  ...(certificate === undefined ? {} : { cert: certificate }),
  ...(key === undefined ? {} : { key }),
  ...(ca === undefined ? {} : { ca }),
});

/** Destroys a session whose peer no longer answers. */
function keepAlive(session: ClientHttp2Session): void {
  const ping = () => {
    const timer = setTimeout(() => session.destroy(new Error('etcd does not answer')), keepaliveTimeout);
    timer.unref();
    const sent = !session.closed && !session.destroyed && session.ping(() => clearTimeout(timer));
    if (!sent) clearTimeout(timer);
  };
  const timer = setInterval(ping, keepaliveTime);
  timer.unref();
  session.once('close', () => clearInterval(timer));
}

const movesOn = (error: unknown) =>
  error instanceof EtcdError && (error.code === grpcStatus.UNAVAILABLE || error.code === grpcStatus.DEADLINE_EXCEEDED);

/**
 * Calls go to one endpoint until it fails, then to the next. Nothing is sent before the first call, and nothing is ever
 * repeated here: a write that failed may have happened.
 */
export function openChannel(options: ChannelOptions): GrpcChannel {
  const endpoints = options.servers.map((server) =>
    inProcessEtcd(server) === undefined ? new Endpoint(server, options) : new InProcessEndpoint(server),
  );
  let current = 0;
  let closed = false;
  const leave = (at: number, error: unknown) => {
    if (at === current && movesOn(error)) current = (at + 1) % endpoints.length;
  };
  const useCurrent = async <Result>(
    use: (endpoint: Endpoint | InProcessEndpoint, at: number) => Promise<Result>,
  ): Promise<Result> => {
    const at = current;
    const endpoint = endpoints[at];
    if (closed || endpoint === undefined) throw neverSent('the connection is closed');
    try {
      return await use(endpoint, at);
    } catch (error) {
      leave(at, error);
      throw error;
    }
  };
  return {
    call: (request) => useCurrent((endpoint) => endpoint.call(request)),
    stream: (request, { onMessage, onEnd }) =>
      useCurrent((endpoint, at) =>
        endpoint.stream(request, {
          onMessage,
          onEnd: (cause) => {
            leave(at, cause);
            onEnd(cause);
          },
        }),
      ),
    close() {
      closed = true;
      for (const endpoint of endpoints) endpoint.close();
    },
  };
}
