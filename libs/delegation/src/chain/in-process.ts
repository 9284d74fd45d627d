import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { duplexPair } from 'node:stream';
import type { DelegatedDocument, DelegationTarget } from '../delegation-target.ts';
import type { RequestInfo } from '@apichain/request';

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
  readonly #internal: http.Server;

  constructor(server: UnprotectedServer) {
    this.#server = server;
    this.#internal = http.createServer((request, response) => server.serveInternal(request, response));
  }

  serves(info: RequestInfo): boolean {
    return this.#server.serves(info);
  }

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#server.serveDelegated(request, response);
  }

  fetch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<DelegatedDocument> {
    const [near, far] = duplexPair();
    this.#internal.emit('connection', far);
    return new Promise((resolve, reject) => {
      const request = http.get({ path, headers: { ...headers, Connection: 'close' }, createConnection: () => near });
      request.on('error', reject);
      request.on('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const received: Record<string, string> = {};
          for (const [name, value] of Object.entries(answer.headers)) {
            if (value !== undefined) received[name] = Array.isArray(value) ? value.join(', ') : value;
          }
          resolve({ status: answer.statusCode ?? 0, headers: received, body: Buffer.concat(chunks) });
        });
      });
    });
  }

  close(): void {
    this.#internal.closeAllConnections();
  }
}
