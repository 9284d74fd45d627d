import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import http, { type RequestListener } from 'node:http';
import { listenPrivately } from '@apichain/meta';
import { writeNotFound } from '@apichain/request';

const served = /^\/debug\/(?:pprof|flags)(?:[/?]|$)/;

/**
 * `--debug-socket-path`: profiles and the verbosity of logs over a Unix socket, for this user alone, without authentication
 * (k8s.io/apiserver/pkg/server/routes.DebugSocket).
 */
export class DebugSocket {
  readonly #path: string;
  readonly #server: http.Server;

  /** `serve` answers without asking who it is. */
  constructor(path: string, serve: RequestListener) {
    this.#path = path;
    this.#server = http.createServer((request, response) => {
      if (served.test(request.url ?? '')) serve(request, response);
      else writeNotFound(response);
    });
  }

  /** Rejects with Node's error when the socket cannot be made; one that was left is replaced. */
  async listen(): Promise<void> {
    await rm(this.#path, { force: true });
    const listening = once(this.#server, 'listening');
    listenPrivately(this.#server, { path: this.#path });
    await listening;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
