import { pino, type DestinationStream, type Logger } from 'pino';

/** klog verbosity to levels: 0-2 info, 3-5 debug (requests are logged), 6 and more trace. */
export function levelOf(verbosity: number): 'info' | 'debug' | 'trace' {
  if (verbosity >= 6) return 'trace';
  return verbosity >= 3 ? 'debug' : 'info';
}

/** Limit of the bytes that are kept while standard error accepts none (a file on a full disk). What exceeds it is lost. */
const maxWaitingBytes = 256 * 1024;

/**
 * Standard error. Lines are written synchronously: a process whose reader is gone would retry buffered lines forever when it exits. A line that
 * cannot be written is retried with the next one; the failure does not affect the work that is logged.
 */
function standardError(): DestinationStream {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: maxWaitingBytes });
  // Replaces pino's own listener, which throws for every error but a closed reader.
  destination.removeAllListeners('error');
  destination.on('error', () => undefined);
  return destination;
}

/** Structured logs, one JSON object a line, on standard error unless told otherwise. */
export function createLogger(name: string, verbosity: number, destination?: DestinationStream): Logger {
  return pino({ name, level: levelOf(verbosity) }, destination ?? standardError());
}

export type { Logger } from 'pino';
