import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { unixPrefix, type ChannelOptions } from './channel-options.ts';
import { neverSent } from './etcd-error.ts';
import { callHeaders, unaryCall, type UnaryRequest } from './grpc-unary-call.ts';
import type { Header } from './http2/hpack.ts';
import { Http2Session } from './http2/session.ts';
import { keepAlive } from './keepalive.ts';

/** Lists of headers that an endpoint keeps: methods times timeouts. */
const maxHeads = 100;

/** One endpoint of unary calls and the session to it, which is opened when first needed and again after it broke. */
export class CallEndpoint {
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
    return unaryCall(session, this.#headersOf(request), request);
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
        socket.once('close', keepAlive(session));
        resolve(session);
      });
      const session = new Http2Session(socket);
      this.#opening = session;
      // While it is awaited, the connection keeps the process alive.
      socket.ref();
      const timer = setTimeout(() => session.destroy(new Error('timed out')), timeout);
      // Calls under way are finished on a session that the server ends; new ones go to another.
      session.onEnding = () => this.#forget(session);
      socket.once('close', () => {
        clearTimeout(timer);
        this.#forget(session);
        reject(neverSent(session.failure?.message ?? 'the connection was closed'));
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
