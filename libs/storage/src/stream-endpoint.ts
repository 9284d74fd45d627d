import { connect, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { unixPrefix, type ChannelOptions, type StreamRequest } from './channel-options.ts';
import { neverSent } from './etcd-error.ts';
import { openStream, type MessageStream, type StreamHandlers } from './grpc-stream.ts';
import { keepAlive } from './keepalive.ts';

/** How much of an answer may be on its way: pages of large lists should not wait for the round trips of flow control. */
const streamWindow = 4 * 1024 * 1024;
const sessionWindow = 16 * 1024 * 1024;

/** One endpoint of streams and the session to it, which is opened when first needed and again after it broke. */
export class StreamEndpoint {
  readonly #url: string;
  readonly #options: SecureClientSessionOptions;
  #session: ClientHttp2Session | undefined;
  /** The session that is being opened. */
  #opening: ClientHttp2Session | undefined;
  #connecting: Promise<ClientHttp2Session> | undefined;
  #calls = 0;

  constructor(server: string, { certificate, key, ca }: ChannelOptions) {
    const isUnix = unixPrefix.test(server);
    const path = server.replace(unixPrefix, '');
    this.#url = isUnix ? 'http://localhost' : server;
    this.#options = {
      settings: { enablePush: false, initialWindowSize: streamWindow },
      // What is in flight is bounded by the callers, as in every gRPC client.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
      ...(ca === undefined ? {} : { ca }),
      ...(isUnix ? { createConnection: () => connectSocket(path) } : {}),
    };
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
      const session = connect(this.#url, this.#options);
      this.#opening = session;
      const timer = setTimeout(() => session.destroy(new Error('timed out')), timeout);
      let cause: Error | undefined;
      session.on('error', (error: Error) => {
        cause = error;
      });
      session.once('connect', () => {
        clearTimeout(timer);
        session.setLocalWindowSize(sessionWindow);
        this.#session = session;
        const stop = keepAlive({
          ping: (answered) => {
            if (session.closed || !session.ping(answered)) answered();
          },
          destroy: (cause) => session.destroy(cause),
        });
        session.once('close', stop);
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
