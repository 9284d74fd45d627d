import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of an HTTP/1.1 server, so that a shutdown ends each of them after its last response. Node's own `closeIdleConnections` also closes
 * a connection whose response has been ended by its handler but not yet been sent. The client of such a request never learns that it was done.
 */
export class Http1Connections {
  /** Each connection with its latest response, which is the last one to be sent; undefined when that is closed, so that nothing of it is kept. */
  readonly #latest = new Map<Socket, ServerResponse | undefined>();
  #ending = false;

  /** Follows the server. `event` is the event with which it receives connections. */
  constructor(server: Server, event: 'connection' | 'secureConnection') {
    server.on(event, (socket: Socket) => {
      this.#latest.set(socket, undefined);
      socket.once('close', () => this.#latest.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      this.#latest.set(socket, response);
      if (this.#ending) closeAfter(response);
      response.once('close', () => {
        if (this.#latest.get(socket) !== response) return;
        this.#latest.set(socket, undefined);
        if (this.#ending) socket.destroySoon();
      });
    });
    // What took over a connection ends it.
    server.on('upgrade', ({ socket }) => this.#latest.delete(socket));
    // `server.close` calls this, and would otherwise close connections by Node's rule.
    server.closeIdleConnections = () => this.end();
  }

  get size(): number {
    return this.#latest.size;
  }

  /** Closes idle connections, and the others when their response has been sent. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    for (const [socket, response] of this.#latest) {
      if (response === undefined) socket.destroySoon();
      else closeAfter(response);
    }
  }

  /** Closes connections whose responses are not complete. */
  breakResponses(): void {
    for (const [socket, response] of this.#latest) if (response !== undefined) socket.destroy();
  }

  /** Closes all connections. */
  destroy(): void {
    for (const socket of this.#latest.keys()) socket.destroy();
  }
}

/** As in Go, a response without a sent head says `Connection: close`, so that the client does not send another request on the connection. */
function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
}
