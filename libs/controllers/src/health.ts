import { createServer } from 'node:http';

/**
 * What the controllers of a process do: `starting` before the API server has responded, `standby` while another replica leads, `syncing` while the
 * caches of a leader are filled.
 */
export type ControllersState = 'starting' | 'standby' | 'syncing' | 'ready';

/** An address to listen on. */
export interface HealthAddress {
  /** Undefined: all addresses of the machine. */
  readonly host: string | undefined;
  readonly port: number;
}

const form = /^(?:\[(?<six>[^\]]*)\]|(?<host>[^:]*)):(?<port>\d{1,5})$/;

/** Parses `127.0.0.1:8081`, `:8081` or `[::1]:8081`. Undefined when the text is none of them. */
export function parseHealthAddress(text: string): HealthAddress | undefined {
  const { six, host = six, port } = form.exec(text)?.groups ?? {};
  const number = Number(port);
  if (port === undefined || number > 65_535) return undefined;
  return { host: host === '' ? undefined : host, port: number };
}

/** Serves health checks over plain HTTP. */
interface HealthServer {
  readonly port: number;
  close(): void;
}

/**
 * Serves /healthz and /livez, which return 200 as long as this process runs its events, and /readyz, which returns 200 when the controllers work or
 * wait for the leader, as the health probes of controller-runtime do. Rejects with Node's error when the address cannot be listened on.
 */
export function serveHealth(address: HealthAddress, state: () => ControllersState): Promise<HealthServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    const [path] = (request.url ?? '').split('?');
    const isReady = ['standby', 'ready'].includes(state());
    const result =
      request.method !== 'GET' && request.method !== 'HEAD'
        ? [405, 'method not allowed']
        : path === '/healthz' || path === '/livez'
          ? [200, 'ok']
          : path === '/readyz'
            ? [isReady ? 200 : 500, isReady ? 'ok' : `the controllers are ${state()}`]
            : [404, 'not found'];
    const [code, text] = result;
    response.writeHead(Number(code), { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
    response.end(String(text));
  });
  server.maxConnections = 64;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      const bound = server.address();
      server.unref();
      resolve({
        port: typeof bound === 'object' && bound !== null ? bound.port : address.port,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}
