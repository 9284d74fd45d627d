import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import http from 'node:http';
import type { Socket } from 'node:net';
import { markChainLink } from '@apichain/authn';
import { listenPrivately } from '@apichain/meta';
import { ended } from './ending.ts';
import { parserLimits } from './head-limits.ts';
import { Http1Connections, stopListening } from './http1-connections.ts';
import { http1Limits, respondToClientError } from './http1-limits.ts';
import type { LinkHandlers } from './listener.ts';
import { UpgradedConnections } from './upgraded-connections.ts';

/**
 * Accepts connections from the previous server of the chain on the same host: HTTP/1.1 over a Unix socket, without TLS. Between two processes
 * of one user, TLS adds no protection and costs as much as the rest of the transfer. Every client that can open the socket is trusted
 * as a front proxy. Only the user who created the socket, and root, can open it.
 */
export class LinkListener {
  readonly #path: string;
  readonly #isFirst: boolean;
  readonly #server: http.Server;
  readonly #connections: Http1Connections;
  readonly #upgraded = new UpgradedConnections();

  /** `isFirst`: no other process serves the socket, so one that is there was left by a killed server. */
  constructor(path: string, handlers: LinkHandlers, isFirst = true) {
    this.#path = path;
    this.#isFirst = isFirst;
    this.#server = http.createServer({ ...handlers.messages, ...http1Limits }, handlers.request);
    this.#connections = new Http1Connections(this.#server, 'connection');
    this.#server.maxHeadersCount = parserLimits.maxHeadersCount;
    this.#server.on('connection', (socket: Socket) => markChainLink(socket, 'socket'));
    this.#server.on('upgrade', (request, socket, head) => this.#upgraded.take(handlers.upgrade, request, socket, head));
    this.#server.on('clientError', respondToClientError);
  }

  /** Rejects with Node's error when the socket cannot be created. */
  async listen(): Promise<void> {
    if (this.#isFirst) removeLeftover(this.#path);
    const listening = once(this.#server, 'listening');
    listenPrivately(this.#server, { path: this.#path, backlog: 1024 });
    await listening;
  }

  /** As `Listener.handOver`. */
  handOver(): void {
    stopListening(this.#server);
    this.#connections.announceEnd();
  }

  /** Refuses new connections and closes idle ones, others after their response. */
  stopAccepting(): void {
    this.#server.close();
  }

  /** Closes the remaining connections. See `ended`. */
  async close(): Promise<void> {
    this.#upgraded.destroy();
    await ended(this.#connections);
    this.#connections.destroy();
  }
}

/** Removes the stale socket of a killed server, which would prevent listening. Other files are not removed. */
function removeLeftover(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path, { force: true });
}
