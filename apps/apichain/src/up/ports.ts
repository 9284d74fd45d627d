import { StartupError } from '@apichain/chain/setup';
import { listenOnce } from '@apichain/meta';
import type { UpOptions } from './options.ts';

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

/**
 * Throws StartupError when the chain cannot listen on its port. A flag that the services would refuse is reported first: they do not start
 * while the port is in use, so nobody else reports it.
 */
export async function assertChainPortFree({ bindAddress, securePort, serviceFlags }: UpOptions): Promise<void> {
  try {
    await assertPortFree(bindAddress, securePort);
  } catch (error) {
    (await import('./check-flags.ts')).checkServiceFlags(serviceFlags);
    throw error;
  }
}
