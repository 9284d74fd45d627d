import { readFileSync } from 'node:fs';
import { hasErrorCode } from '@apichain/meta';

/** Milliseconds that a thread has been ready to run while the machine was busy with others (proc-schedstat: the second number, ns). */
function runDelayMs(path: string): number {
  const [, nanoseconds] = readFileSync(path, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/**
 * The same for the main threads of processes and for the thread that calls, together. A process that has ended delays nobody, and what it
 * had is lost: a difference of two calls may be below 0.
 */
export function totalRunDelayMs(pids: readonly number[]): number {
  let total = runDelayMs('/proc/thread-self/schedstat');
  for (const pid of pids) {
    try {
      total += runDelayMs(`/proc/${pid}/schedstat`);
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT', 'ESRCH')) throw error;
    }
  }
  return total;
}
