import { createServer, type AddressInfo, type ListenOptions, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { listenPrivately } from '@apichain/meta';

/** A gRPC server without a listener; connections are passed to it. */
export interface GrpcServer {
  take(connection: Duplex): void;
  /** Ends every call and connection. */
  shutdown(): void;
}

export interface Listener {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** Stops accepting connections, and closes connections that have sent nothing yet. The server closes the others. */
  close(): void;
}

/** Listens on an address or a path and passes the connections to the server of `serverOf`. Rejects with the error of `listen`. */
export async function listenFor(serverOf: () => Promise<GrpcServer>, where: ListenOptions): Promise<Listener> {
  /** Connections that have not been passed to a server yet. */
  const silent = new Set<Socket>();
  const serve = async (socket: Socket, first: Buffer) => {
    const server = await serverOf();
    if (!silent.delete(socket)) return;
    socket.unshift(first);
    server.take(socket);
  };
  const listener = createServer({ noDelay: true }, (socket) => {
    silent.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => silent.delete(socket));
    socket.once('data', (first: Buffer) => {
      socket.pause();
      serve(socket, first).catch((error: unknown) => socket.destroy(error instanceof Error ? error : undefined));
    });
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.once('listening', resolve);
    // A process that can open the socket can read and write every object.
    if (where.path === undefined) listener.listen(where);
    else listenPrivately(listener, { path: where.path });
  });
  const address = listener.address() as AddressInfo | string;
  return {
    port: typeof address === 'string' ? 0 : address.port,
    close: () => {
      listener.close();
      for (const socket of silent) socket.destroy();
    },
  };
}
