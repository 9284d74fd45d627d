import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const namespaces = ['default'].map((name) => ({
  metadata: { name, resourceVersion: '1' },
  status: { phase: 'Active' },
}));

/** A core API over HTTP for the tests of a server: it allows everything, has the namespace `default`, and no other objects. */
export class CoreServer {
  readonly kubeconfig: string;
  readonly #server: Server;
  readonly #directory: string;

  private constructor(server: Server, directory: string, kubeconfig: string) {
    this.#server = server;
    this.#directory = directory;
    this.kubeconfig = kubeconfig;
  }

  static async start(): Promise<CoreServer> {
    const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const directory = mkdtempSync(join(tmpdir(), 'apichain-core-'));
    const kubeconfig = join(directory, 'kubeconfig');
    const named = [{ name: 'core', cluster: { server: `http://127.0.0.1:${port}` } }];
    const contexts = [{ name: 'core', context: { cluster: 'core', user: 'core' } }];
    const users = [{ name: 'core', user: {} }];
    const config = { apiVersion: 'v1', kind: 'Config', 'current-context': 'core', clusters: named, contexts, users };
    writeFileSync(kubeconfig, JSON.stringify(config));
    return new CoreServer(server, directory, kubeconfig);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#directory, { recursive: true });
  }
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://core');
  response.setHeader('content-type', 'application/json');
  if (request.method === 'POST') {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as object;
    response.writeHead(201).end(JSON.stringify({ ...review, status: { allowed: true } }));
    return;
  }
  // A watch without events stays open until the connection is closed.
  if (searchParams.get('watch') === 'true') response.flushHeaders();
  else {
    const items = pathname === '/api/v1/namespaces' ? namespaces : [];
    response.end(JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items }));
  }
}
