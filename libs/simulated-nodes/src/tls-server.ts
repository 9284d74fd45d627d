import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { CertificatePair } from '@apichain/serving/certificates';

/** How a server of the nodes listens. Certificates and keys are PEM. */
export interface TlsServing extends CertificatePair {
  /** The CA of the client certificate of whoever may ask. Other clients are refused. */
  readonly clientCa: string;
  /** Default: 127.0.0.1. */
  readonly address?: string;
  /** Default: any free port. */
  readonly port?: number;
}

/** A server of the nodes. */
export interface RunningTlsServer {
  readonly port: number;
  readonly stopped: Promise<void>;
}

/** The handlers of requests, and of requests for another protocol. */
interface TlsHandlers {
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Rejects when the stream has failed, which then is closed. */
  readonly stream?: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
}

/** Serves until the signal. Requests are served by the clock of the caller, whoever opens the connection. Rejects when it cannot listen. */
export async function serveTls(
  { certificate, key, clientCa, address = '127.0.0.1', port = 0 }: TlsServing,
  { serve, stream }: TlsHandlers,
  signal: AbortSignal,
): Promise<RunningTlsServer> {
  const tls = { cert: certificate, key, ca: clientCa, requestCert: true, rejectUnauthorized: true };
  const server = createServer(tls, AsyncResource.bind(serve));
  const upgraded = new Set<Duplex>();
  if (stream !== undefined) {
    const bound = AsyncResource.bind(stream);
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      upgraded.add(socket);
      socket.on('close', () => upgraded.delete(socket));
      socket.on('error', () => socket.destroy());
      bound(request, socket, head).catch(() => socket.destroy());
    });
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const stopped = new Promise<void>((resolve) => {
    server.once('close', resolve);
    const stop = () => {
      server.close();
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return { port: (server.address() as AddressInfo).port, stopped };
}
