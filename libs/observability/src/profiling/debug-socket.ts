import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import http, { type RequestListener } from 'node:http';
import { listenPrivately } from '@apichain/meta';
import { writeNotFound } from '@apichain/request';

const served = /^\/debug\/(?:pprof|v8|flags)(?:[/?]|$)/;

/**
 * `--debug-socket-path`: profiles and the log verbosity over a Unix socket, without authentication. Only the user of the process can open the
 * socket (k8s.io/apiserver/pkg/server/routes.DebugSocket).
 */
export class DebugSocket {
  readonly #path: string;
  readonly #server: http.Server;

  /** `serve` handles requests without authentication. */
  constructor(path: string, serve: RequestListener) {
    this.#path = path;
    this.#server = http.createServer((request, response) => {
      if (served.test(request.url ?? '')) serve(request, response);
      else writeNotFound(response);
    });
  }

  /** Rejects with Node's error when the socket cannot be created. A stale socket file is replaced. */
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
