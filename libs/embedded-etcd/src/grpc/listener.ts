import { createServer, type AddressInfo, type ListenOptions, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ServerCredentials, type Server } from '@grpc/grpc-js';
import { acceptableAuthority, mayHaveBadAuthority } from './authority.ts';

/** A connection whose authority is made acceptable on its way in. */
class MendedConnection extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    const acceptable = acceptableAuthority();
    socket.on('data', (piece: Buffer) => {
      const passed = acceptable(piece);
      if (passed.length > 0 && !this.push(passed)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

export interface Listener {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** Accepts nobody any more, and ends connections on which nothing was said yet. The others are the server's. */
  close(): void;
}

/** Lets clients of an address or a path reach `server`. Rejects with the error of `listen`. */
export async function listenFor(server: Server, where: ListenOptions): Promise<Listener> {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const silent = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    silent.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => silent.delete(socket));
    socket.once('data', (first: Buffer) => {
      silent.delete(socket);
      socket.pause();
      socket.unshift(first);
      injector.injectConnection(mayHaveBadAuthority(first) ? new MendedConnection(socket) : socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(where, resolve);
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
