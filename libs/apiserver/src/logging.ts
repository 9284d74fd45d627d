import { pino, type DestinationStream, type Logger } from 'pino';

/** klog verbosity to levels: 0-2 info, 3-5 debug (requests are logged), 6 and more trace. */
export function levelOf(verbosity: number): 'info' | 'debug' | 'trace' {
  if (verbosity >= 6) return 'trace';
  return verbosity >= 3 ? 'debug' : 'info';
}

/**
 * Structured logs, one JSON object a line, on standard error unless told otherwise. Lines are written as they come: those that wait would
 * be tried again for ever at the exit of a process whose reader is gone.
 */
export function createLogger(name: string, verbosity: number, destination?: DestinationStream): Logger {
  return pino({ name, level: levelOf(verbosity) }, destination ?? pino.destination({ dest: 2, sync: true }));
}

export type { Logger } from 'pino';
