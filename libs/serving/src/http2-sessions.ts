import type { Http2Server, ServerHttp2Session } from 'node:http2';
import { closeWhenReset } from './http2-reset.ts';

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
