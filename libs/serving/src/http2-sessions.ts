import { constants, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';

/** The highest identifier that a stream can have. */
const lastOfAllStreams = 2 ** 31 - 1;

/** What is known of an open session. */
interface OpenSession {
  streams: number;
  /** Closes the session. Runs while it has no streams. */
  idle: NodeJS.Timeout | undefined;
}

/** The connections of an HTTP/2 server, so that a shutdown ends each of them with GOAWAY after its last response. */
export class Http2Sessions {
  readonly #sessions = new Map<ServerHttp2Session, OpenSession>();
  readonly #idleMs: number;
  #ending = false;

  /** Follows the server. Sessions that have no stream for `idleMs` are closed, as by Go's server. */
  constructor(server: Http2Server, idleMs: number) {
    this.#idleMs = idleMs;
    server.on('session', (session) => {
      const open: OpenSession = { streams: 0, idle: undefined };
      this.#sessions.set(session, open);
      this.#closeWhenIdle(session, open);
      session.once('close', () => {
        this.#sessions.delete(session);
        clearTimeout(open.idle);
      });
      session.on('stream', (stream) => {
        closeWhenReset(stream);
        open.streams++;
        clearTimeout(open.idle);
        stream.once('close', () => {
          if (--open.streams === 0 && this.#sessions.has(session)) this.#closeWhenIdle(session, open);
        });
      });
      // The handshake ended after the server had stopped: the client learns by GOAWAY that none of its requests will be processed.
      if (this.#ending) session.close();
    });
  }

  /** The timeout of Node's sessions is of no use: it is not cleared when a session ends, and holds the session until it runs out. */
  #closeWhenIdle(session: ServerHttp2Session, open: OpenSession): void {
    open.idle = setTimeout(() => session.close(), this.#idleMs).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Tells clients to open other connections. Requests that are on their way, and later ones, are served (RFC 9113, section 6.8). */
  announceEnd(): void {
    for (const session of this.#sessions.keys()) session.goaway(constants.NGHTTP2_NO_ERROR, lastOfAllStreams);
  }

  /** Sends GOAWAY. A session closes itself when its streams have ended and everything is sent; streams that come later are ignored. */
  end(): void {
    this.#ending = true;
    for (const session of this.#sessions.keys()) session.close();
  }

  /** Ends sessions with open streams, which are reset. */
  breakResponses(): void {
    for (const [session, { streams }] of this.#sessions) if (streams > 0) session.destroy();
  }
}

/**
 * Makes a stream close when its client resets it, whatever the code. After RST_STREAM with NO_ERROR, Node waits until the request has been read
 * and the response has been sent. A response that waits for the client's window is never sent then, and the request would keep its seat for good.
 */
function closeWhenReset(stream: ServerHttp2Stream): void {
  const push = stream.push.bind(stream);
  // Node ends the readable side of a stream before its end only for such a reset, and it has marked the stream as closed before.
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    const isMore = push(chunk, encoding);
    if (chunk === null && stream.closed) process.nextTick(() => stream.destroy());
    return isMore;
  };
}
