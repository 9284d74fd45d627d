import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Handles a connection upgrade. The response is bound to the socket, for handlers that refuse the upgrade. */
export type UpgradeHandler = (request: IncomingMessage, response: ServerResponse, socket: Duplex, head: Buffer) => void;

/** Connections that were upgraded and left the HTTP server, so that a shutdown can close them. */
export class UpgradedConnections {
  readonly #sockets = new Set<Duplex>();

  /** Handles the `upgrade` event of a server. */
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
