import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server of the test that listens on a free port of this machine. */
export interface StandIn {
  readonly port: number;
  close(): Promise<void>;
}

/** Lets a server listen on a free port of an address. */
export async function listening(server: Server, host = '127.0.0.1'): Promise<StandIn> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** What a server shows its clients, in PEM. */
export interface ServerCredentials {
  readonly cert: string;
  readonly key: string;
}

export const secureServer = (tls: ServerOptions, listener: RequestListener, host?: string): Promise<StandIn> =>
  listening(createServer(tls, listener), host);

export const plainServer = (listener: RequestListener): Promise<StandIn> => listening(createHttpServer(listener));

/** Accepts connections and never responds. */
export const blackHole = (): Promise<StandIn> => listening(createTcpServer((socket) => socket.resume()));

/** Closes every connection after the first bytes. */
export const hangsUp = (): Promise<StandIn> =>
  listening(createTcpServer((socket) => socket.once('data', () => socket.destroy())));

/** Passes connections on to a port of this machine. What comes back is delayed by a time that may change, handshakes included. */
export async function slowProxy(target: number): Promise<StandIn & { delayMs: number }> {
  const delay = { delayMs: 0 };
  const server = createTcpServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let sent = Promise.resolve();
    upstream.on('data', (chunk: Buffer) => {
      const due = sleep(delay.delayMs);
      sent = sent.then(async () => {
        await due;
        client.write(chunk);
      });
    });
    client.on('data', (chunk: Buffer) => upstream.write(chunk));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  return Object.assign(delay, await listening(server));
}

/** What metrics-server reads of a kubelet: the resource metrics of a node, a pod and its container. */
export async function kubelet(tls: ServerOptions): Promise<StandIn> {
  const started = Date.now();
  return secureServer(tls, (request, response) => {
    if (request.url !== '/metrics/resource') {
      response.writeHead(404).end();
      return;
    }
    const seconds = (Date.now() - started) / 1_000;
    const container = '{container="web",namespace="default",pod="web"}';
    const since = started / 1_000 - 600;
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(
      [
        ...metric('node_cpu_usage_seconds_total', 'counter', '', 100 + seconds / 2),
        ...metric('node_memory_working_set_bytes', 'gauge', '', 512 * 1024 * 1024),
        ...metric('container_cpu_usage_seconds_total', 'counter', container, 10 + seconds / 4),
        ...metric('container_memory_working_set_bytes', 'gauge', container, 64 * 1024 * 1024),
        ...metric('container_start_time_seconds', 'gauge', container, since),
        ...metric('pod_cpu_usage_seconds_total', 'counter', '{namespace="default",pod="web"}', 10 + seconds / 4),
        ...metric('pod_memory_working_set_bytes', 'gauge', '{namespace="default",pod="web"}', 64 * 1024 * 1024),
        '',
      ].join('\n'),
    );
  });
}

const metric = (name: string, type: string, labels: string, value: number): string[] => [
  `# HELP ${name} from the test`,
  `# TYPE ${name} ${type}`,
  `${name}${labels} ${value}${name.includes('start_time') ? '' : ` ${Date.now()}`}`,
];
