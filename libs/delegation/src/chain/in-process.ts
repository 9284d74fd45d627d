import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transport } from '@apichain/client';
import type { RequestInfo } from '@apichain/request';
import type { DelegatedDocument, DelegationTarget } from '../delegation-target.ts';
import { inProcessTransport } from '../in-process/in-process-transport.ts';

/** The interface of a server for the previous server in the same process. */
interface UnprotectedServer {
  /** Serves a request whose filters have run in the previous server. */
  serveDelegated(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Serves a request of the chain itself, with full permissions and without filters. */
  serveInternal(request: IncomingMessage, response: ServerResponse): void;
  /** Whether the server has the resource of a request. */
  serves(info: RequestInfo): boolean;
}

/** The link between two servers of one process: a function call. */
export class InProcessDelegationTarget implements DelegationTarget {
  readonly #server: UnprotectedServer;
  readonly #internal: Transport;

  constructor(server: UnprotectedServer) {
    this.#server = server;
    this.#internal = inProcessTransport((request, response) => server.serveInternal(request, response), {});
  }

  serves(info: RequestInfo): boolean {
    return this.#server.serves(info);
  }

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#server.serveDelegated(request, response);
  }

  async fetch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<DelegatedDocument> {
    const response = await this.#internal.send({ method: 'GET', path, headers });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const received: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers))
      if (value !== undefined) received[name] = Array.isArray(value) ? value.join(', ') : value;
    return { status: response.status, headers: received, body: Buffer.concat(chunks) };
  }

  close(): Promise<void> {
    return this.#internal.close();
  }
}
