<<<<<<< ours
import { connect, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { grpcStatus } from './grpc-status.ts';
import { EtcdError, neverSent } from './etcd-error.ts';
import { openStream, type MessageStream, type StreamHandlers } from './grpc-stream.ts';
import { unaryCall, type UnaryRequest } from './grpc-unary-call.ts';
=======
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { status as grpcStatus } from '@grpc/grpc-js';
import { EtcdError, neverSent } from './etcd-error.ts';
import { callHeaders, unaryCall, type UnaryRequest } from './grpc-unary-call.ts';
import type { Header } from './http2/hpack.ts';
import { Http2Session } from './http2/session.ts';
>>>>>>> theirs

export interface ChannelOptions {
  /** As EtcdOptions.servers. */
  readonly servers: readonly string[];
  /** PEM texts. With any of them the connection is TLS. */
  readonly certificate?: string;
  readonly key?: string;
  readonly ca?: string;
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
const unixPrefix = /^unix:(\/\/)?/;

/** Lists of headers that an endpoint keeps: methods times timeouts. */
const maxHeads = 100;

/** One endpoint and the session to it, which is opened when first needed and again after it broke. */
class Endpoint {
  readonly #origin: URL;
  readonly #connectSocket: (connected: () => void) => Socket;
  readonly #heads = new Map<string, readonly Header[]>();
  #session: Http2Session | undefined;
  /** The session that is being opened. */
  #opening: Http2Session | undefined;
  #connecting: Promise<Http2Session> | undefined;

  constructor(server: string, options: ChannelOptions) {
    const isUnix = unixPrefix.test(server);
    this.#origin = new URL(isUnix ? 'http://localhost' : server);
    this.#connectSocket = isUnix
      ? (connected) => connectSocket({ path: server.replace(unixPrefix, '') }, connected)
      : (connected) => openSocket(this.#origin, options, connected);
  }

  async call(request: UnaryRequest): Promise<Buffer> {
    const session = this.#usable() ?? (await this.#connect(request.timeout));
<<<<<<< ours
    this.#begin(session);
    try {
      return await unaryCall(session, request);
    } finally {
      this.#end(session);
    }
=======
    return unaryCall(session, this.#headersOf(request), request);
>>>>>>> theirs
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

  #headersOf({ path, timeout }: UnaryRequest): readonly Header[] {
    const key = `${path} ${String(timeout)}`;
    const known = this.#heads.get(key);
    if (known !== undefined) return known;
    if (this.#heads.size >= maxHeads) this.#heads.clear();
    const headers = callHeaders(this.#origin, path, timeout);
    this.#heads.set(key, headers);
    return headers;
  }

  #usable(): Http2Session | undefined {
    return this.#session?.isUsable === true ? this.#session : undefined;
  }

  #connect(timeout: number): Promise<Http2Session> {
    this.#connecting ??= this.#open(timeout).finally(() => {
      this.#connecting = undefined;
      this.#opening = undefined;
    });
    return this.#connecting;
  }

  #open(timeout: number): Promise<Http2Session> {
    return new Promise((resolve, reject) => {
      const socket = this.#connectSocket(() => {
        clearTimeout(timer);
        this.#session = session;
        keepAlive(session, socket);
        resolve(session);
      });
      const session = new Http2Session(socket);
      this.#opening = session;
      // While it is awaited, the connection keeps the process alive.
      socket.ref();
      const timer = setTimeout(() => session.destroy(new Error('timed out')), timeout);
      let cause: Error | undefined;
      socket.on('error', (error) => {
        cause = error;
      });
      // Calls under way are finished on a session that the server ends; new ones go to another.
      session.onEnding = () => this.#forget(session);
      socket.once('close', () => {
        clearTimeout(timer);
        this.#forget(session);
        reject(neverSent(cause?.message ?? 'the connection was closed'));
      });
    });
  }

  #forget(session: Http2Session): void {
    if (this.#session === session) this.#session = undefined;
  }
}

function openSocket(origin: URL, { certificate, key, ca }: ChannelOptions, connected: () => void): Socket {
  const isTls = origin.protocol === 'https:';
  const host = origin.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = origin.port === '' ? (isTls ? 443 : 80) : Number(origin.port);
  if (!isTls) return connectSocket({ host, port }, connected);
  const credentials = {
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(ca === undefined ? {} : { ca }),
  };
  const serverName = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ALPNProtocols: ['h2'], ...serverName, ...credentials }, connected);
}

/** Destroys a session whose peer no longer answers. */
function keepAlive(session: Http2Session, socket: Socket): void {
  const ping = () => {
    const timer = setTimeout(() => session.destroy(new Error('etcd does not answer')), keepaliveTimeout);
    timer.unref();
    session.ping(() => clearTimeout(timer));
  };
  const timer = setInterval(ping, keepaliveTime);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}

const movesOn = (error: unknown) =>
  error instanceof EtcdError && (error.code === grpcStatus.UNAVAILABLE || error.code === grpcStatus.DEADLINE_EXCEEDED);

/**
 * Calls go to one endpoint until it fails, then to the next. Nothing is sent before the first call, and nothing is ever
 * repeated here: a write that failed may have happened.
 */
export function openChannel(options: ChannelOptions): GrpcChannel {
  const endpoints = options.servers.map((server) => new Endpoint(server, options));
  let current = 0;
  let closed = false;
  const leave = (at: number, error: unknown) => {
    if (at === current && movesOn(error)) current = (at + 1) % endpoints.length;
  };
  const useCurrent = async <Result>(use: (endpoint: Endpoint, at: number) => Promise<Result>): Promise<Result> => {
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
