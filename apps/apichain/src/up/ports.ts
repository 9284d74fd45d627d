import { createServer } from 'node:net';
import { StartupError } from '@apichain/chain/setup';

/** A free TCP port on `host`. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  return listenOnce(host, 0);
}

/** Throws StartupError when `host:port` cannot be listened on. */
export async function assertPortFree(host: string, port: number): Promise<void> {
  try {
    await listenOnce(host, port);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE')
      throw new StartupError(
        `port ${port} on ${host} is in use: stop what listens there or choose another with --secure-port`,
      );
    if (code === 'EACCES')
      throw new StartupError(
        `port ${port} on ${host} may not be opened by this user: choose one above 1023 with --secure-port`,
      );
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartupError(`--bind-address ${host} is not an address of this machine`);
    throw error;
  }
}

async function listenOnce(host: string, port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error(`no port for ${host}`);
  return address.port;
}
