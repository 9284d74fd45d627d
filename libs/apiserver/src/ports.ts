import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { LinkListener } from '@apichain/serving';
import { Listener, type LinkHandlers, type ListenerOptions } from '@apichain/serving';
import { DebugSocket } from '@apichain/observability';
import type { Upgrade } from '@apichain/request';
import type { Worker } from '@apichain/workers';

/** The handlers of requests that arrive at the ports. */
export interface PortHandlers {
  readonly messages: LinkHandlers['messages'];
  readonly serve: (request: IncomingMessage, response: ServerResponse, upgrade: Upgrade | undefined) => void;
  /** Serves requests of the debug socket without any filters. */
  readonly serveInternal: RequestListener;
  /** Whether the client is the previous server of the chain. */
  readonly isFromChain: (socket: TLSSocket) => boolean;
  readonly handshakeFailed: () => void;
}

/** The entry points of a server for other processes: the port, the link socket and the debug socket. */
export class Ports {
  readonly #listener: Listener;
  readonly #link: LinkListener | undefined;
  readonly #debug: DebugSocket | undefined;

  /** Of several workers, one removes the socket that a killed service has left; the others share the new one. */
  constructor(
    serving: ListenerOptions,
    debugSocketPath: string | undefined,
    handlers: PortHandlers,
    worker: Worker | undefined,
  ) {
    const link: LinkHandlers = {
      messages: handlers.messages,
      request: (request, response) => handlers.serve(request, response, undefined),
      upgrade: (request, response, socket, head) => handlers.serve(request, response, { socket, head }),
    };
    const { isFromChain, handshakeFailed } = handlers;
    this.#listener = new Listener(serving, { ...link, isFromChain, handshakeFailed });
    if (serving.linkSocket !== undefined)
      this.#link = new LinkListener(serving.linkSocket, link, worker?.opensEarly !== false);
    if (debugSocketPath !== undefined) this.#debug = new DebugSocket(debugSocketPath, handlers.serveInternal);
  }

  /** Opens the port last: when the port is open, the sockets are open too. Rejects with Node's error when one of them cannot be opened. */
  async open(): Promise<AddressInfo> {
    await this.#link?.listen();
    await this.#debug?.listen();
    return this.#listener.listen();
  }

  /** Takes no new connections and lets the clients open others, but serves what comes over those that are open. */
  handOver(): void {
    this.#listener.handOver();
    this.#link?.handOver();
  }

  stopAccepting(): void {
    this.#listener.stopAccepting();
    this.#link?.stopAccepting();
  }

  /** Closes the remaining connections. Resolves when what was written to them has been sent. */
  async close(): Promise<void> {
    await Promise.all([this.#listener.close(), this.#link?.close()]);
    this.#debug?.close();
  }
}
