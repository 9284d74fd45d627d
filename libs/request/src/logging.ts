import { pino, type DestinationStream, type Logger } from 'pino';

/** klog verbosity to levels: 0-2 info, 3-5 debug (requests are logged), 6 and more trace. */
export function levelOf(verbosity: number): 'info' | 'debug' | 'trace' {
  if (verbosity >= 6) return 'trace';
  return verbosity >= 3 ? 'debug' : 'info';
}

/** Bytes that wait while standard error takes none (a file on a full disk); what comes beyond is lost. */
const maxWaitingBytes = 256 * 1024;

/**
 * Standard error. Lines are written as they come: those that wait would be tried again for ever at the exit of a process whose reader is gone.
 * What cannot be written is tried again with the next line, and is no failure of what is logged about.
 */
function standardError(): DestinationStream {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: maxWaitingBytes });
  // In place of pino's own listener, which throws for all but a reader that is gone.
  destination.removeAllListeners('error');
  destination.on('error', () => undefined);
  return destination;
}

/** Structured logs, one JSON object a line, on standard error unless told otherwise. */
export function createLogger(name: string, verbosity: number, destination?: DestinationStream): Logger {
  return pino({ name, level: levelOf(verbosity) }, destination ?? standardError());
}

export type { Logger } from 'pino';
