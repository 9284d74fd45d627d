import { StartupError } from '@apichain/chain/setup';
import { listenOnce } from '@apichain/meta';

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
