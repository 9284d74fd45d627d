import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Takes a connection upgrade; the response is bound to the socket, for those that refuse it. */
export type UpgradeHandler = (request: IncomingMessage, response: ServerResponse, socket: Duplex, head: Buffer) => void;

/** Connections that an HTTP server has given away, so that a shutdown can end them. */
export class UpgradedConnections {
  readonly #sockets = new Set<Duplex>();

  /** For the `upgrade` event of a server. */
  take(handler: UpgradeHandler, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.add(socket);
    socket.setMaxListeners(0);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once('finish', () => socket.end());
    handler(request, response, socket, head);
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
