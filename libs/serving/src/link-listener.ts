import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import http from 'node:http';
import type { Socket } from 'node:net';
import { vouchFor } from '@apichain/authn';
import { listenPrivately } from '@apichain/meta';
import { isOfChain, parserLimits } from './head-limits.ts';
import { answerClientError, http1Limits } from './http1-limits.ts';
import type { LinkHandlers } from './listener.ts';
import { UpgradedConnections } from './upgraded-connections.ts';

/**
 * The way in for the server before this one in the chain when both run on one host: HTTP/1.1 over a Unix socket, without TLS, which on
 * the way between two processes of one user protects nothing and costs as much as the rest of the way. Whoever may open the socket is
 * believed as a front proxy; only the user who made it, and root, may.
 */
export class LinkListener {
  readonly #path: string;
  readonly #server: http.Server;
  readonly #upgraded = new UpgradedConnections();

  constructor(path: string, handlers: LinkHandlers) {
    this.#path = path;
    this.#server = http.createServer({ ...handlers.messages, ...http1Limits }, handlers.request);
    this.#server.maxHeadersCount = parserLimits.maxHeadersCount;
    this.#server.on('connection', (socket: Socket) => {
      vouchFor(socket);
      isOfChain(socket);
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgraded.take(handlers.upgrade, request, socket, head));
    this.#server.on('clientError', answerClientError);
  }

  /** Rejects with Node's error when the socket cannot be made. */
  async listen(): Promise<void> {
    removeLeftover(this.#path);
    const listening = once(this.#server, 'listening');
    listenPrivately(this.#server, { path: this.#path, backlog: 1024 });
    await listening;
  }

  stopAccepting(): void {
    this.#server.close();
    this.#server.closeIdleConnections();
  }

  destroy(): void {
    this.#server.closeAllConnections();
    this.#upgraded.destroy();
  }
}

/** A server that was killed leaves its socket behind, and then nobody can listen there; anything but a socket is left alone. */
function removeLeftover(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path, { force: true });
}
