import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * The connections of an HTTP/1.1 server, so that a shutdown ends each of them after its last response. Node's own `closeIdleConnections` also closes
 * a connection whose response has been ended by its handler but not yet been sent. The client of such a request never learns that it was done.
 */
export class Http1Connections {
  /** Each connection with its latest response, which is the last one to be sent; undefined when that is closed, so that nothing of it is kept. */
  readonly #latest = new Map<Socket, ServerResponse | undefined>();
  #isLast = false;
  #ending = false;

  /** Follows the server. `event` is the event with which it receives connections. */
  constructor(server: Server, event: 'connection' | 'secureConnection') {
    server.on(event, (socket: Socket) => {
      this.#latest.set(socket, undefined);
      socket.once('close', () => this.#latest.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      this.#latest.set(socket, response);
      if (this.#isLast) closeAfter(response);
      response.once('close', () => {
        if (this.#latest.get(socket) !== response) return;
        this.#latest.set(socket, undefined);
        // After the end was announced, the client closes a connection whose response has told it so.
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

  /** Responses say from now on that they are the last ones of their connections. */
  announceEnd(): void {
    this.#isLast = true;
  }

  /** Closes idle connections, and the others when their response has been sent. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#isLast = true;
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

/** Ends the listening of a server and nothing else. Its own `close` also closes idle connections. */
export const stopListening = (server: Server): void => void NetServer.prototype.close.call(server);

/** As in Go, a response without a sent head says `Connection: close`, so that the client does not send another request on the connection. */
function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
}
