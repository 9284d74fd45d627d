import type { Http2Server, ServerHttp2Session } from 'node:http2';
import { closeWhenReset } from './http2-reset.ts';

/** The connections of an HTTP/2 server, so that a shutdown ends each of them with GOAWAY after its last response. */
export class Http2Sessions {
  /** Each session with the number of its open streams. */
  readonly #streams = new Map<ServerHttp2Session, number>();
  #ending = false;

  /** Follows the server. Sessions without a stream are closed after `idleMs`. */
  constructor(server: Http2Server, idleMs: number) {
    server.on('session', (session) => {
      this.#streams.set(session, 0);
      session.once('close', () => this.#streams.delete(session));
      session.on('stream', (stream) => {
        closeWhenReset(stream);
        this.#add(session, 1);
        stream.once('close', () => this.#add(session, -1));
      });
      session.setTimeout(idleMs, () => {
        if (this.#streams.get(session) === 0) session.close();
      });
      // The handshake ended after the server had stopped: the client learns by GOAWAY that none of its requests will be processed.
      if (this.#ending) session.close();
    });
  }

  #add(session: ServerHttp2Session, count: number): void {
    const streams = this.#streams.get(session);
    if (streams !== undefined) this.#streams.set(session, streams + count);
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Sends GOAWAY. A session closes itself when its streams have ended and everything is sent; streams that come later are ignored. */
  end(): void {
    this.#ending = true;
    for (const session of this.#streams.keys()) session.close();
  }

  /** Ends sessions with open streams, which are reset. */
  breakResponses(): void {
    for (const [session, streams] of this.#streams) if (streams > 0) session.destroy();
  }
}
