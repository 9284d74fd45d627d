import { StartupError } from '@apichain/chain/setup';

const defaultConsolePort = 6480;

/** Where a console is served. */
export interface ConsolePort {
  /** Undefined means no console. */
  readonly consolePort?: number;
  /** Whether the user chose the port. */
  readonly isConsolePortGiven: boolean;
}

/** The port of `--console` and `--console-port`, which says both. Throws StartupError for a port that is none. */
export function parseConsolePort(isOn: boolean, given: string | undefined): ConsolePort {
  if (given === undefined) return { isConsolePortGiven: false, ...(isOn && { consolePort: defaultConsolePort }) };
  const port = Number(given);
  if (given === '' || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new StartupError(`--console-port: "${given}" is not a port (1-65535)`);
  return { consolePort: port, isConsolePortGiven: true };
}
