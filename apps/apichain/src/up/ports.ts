import { StartupError } from '@apichain/chain/setup';
import { claimPort, hasErrorCode, listenOnce } from '@apichain/meta';
import type { ConsolePort } from './console-port.ts';
import type { UpOptions } from './options.ts';

/** Another program listens on a port of the chain. `flag` is the one with which the port is chosen. */
class PortTakenError extends StartupError {
  readonly flag: 'secure-port' | 'console-port';

  constructor(message: string, flag: PortTakenError['flag']) {
    super(message);
    this.flag = flag;
  }
}

/** Throws StartupError when `host:port` cannot be listened on, PortTakenError when another program does. */
export async function assertPortFree(host: string, port: number): Promise<void> {
  try {
    await listenOnce(host, port);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE')
      throw new PortTakenError(
        `port ${port} on ${host} is in use: stop what listens there or choose another with --secure-port`,
        'secure-port',
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

/** How many ports are tried when the user chose none. */
const triedPorts = 20;

/**
 * The options with the first free ports from the default ones on, unless the user chose a port. Chains that start at the same time get different ones.
 * With a default port if none is free.
 */
export async function withFreePort(options: UpOptions): Promise<UpOptions> {
  const { bindAddress, securePort, isPortGiven } = options;
  return {
    ...options,
    securePort: isPortGiven ? securePort : await firstFree(bindAddress, securePort),
    ...(await withFreeConsolePort(options)),
  };
}

/** The console is served on this address only. */
const loopback = '127.0.0.1';

/** With the first free port from the default one on, unless the user chose a port. */
export async function withFreeConsolePort({ consolePort, isConsolePortGiven }: ConsolePort): Promise<ConsolePort> {
  if (consolePort === undefined || isConsolePortGiven) return { consolePort, isConsolePortGiven };
  return { consolePort: await firstFree(loopback, consolePort), isConsolePortGiven };
}

async function firstFree(host: string, first: number): Promise<number> {
  for (let port = first; port < first + triedPorts; port++) {
    try {
      await claimPort(host, port);
      await listenOnce(host, port);
      return port;
    } catch (error) {
      if (!hasErrorCode(error, 'EADDRINUSE')) break;
    }
  }
  return first;
}

/** Whether a start failed only because a port that nobody chose was taken before the chain listened. */
export const isPortToReplace = (error: unknown, { isPortGiven, isConsolePortGiven }: UpOptions): boolean =>
  error instanceof PortTakenError && !(error.flag === 'secure-port' ? isPortGiven : isConsolePortGiven);

/**
 * The error of a start that failed with this line of a service. What the console says about its port: libs/server-aggregator/src/console.ts
 */
export function startupErrorOf(line: string): StartupError {
  if (/--console-port: port \d+ of \S+ is in use/.test(line)) return new PortTakenError(line, 'console-port');
  return line.includes('EADDRINUSE') ? new PortTakenError(line, 'secure-port') : new StartupError(line);
}

/**
 * Throws StartupError when the chain cannot listen on its port. A flag that the services would refuse is reported first: they do not start
 * while the port is in use, so nobody else reports it.
 */
export async function assertChainPortFree(options: UpOptions): Promise<void> {
  try {
    await assertPortFree(options.bindAddress, options.securePort);
  } catch (error) {
    (await import('./check-flags.ts')).checkServiceFlags(options);
    throw error;
  }
}
