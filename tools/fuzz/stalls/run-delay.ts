import { readFileSync } from 'node:fs';
import { hasErrorCode } from '@apichain/meta';

/** Milliseconds that a thread was ready to run but waited for a processor (proc-schedstat: the second number, in ns). */
function runDelayMs(path: string): number {
  const [, nanoseconds] = readFileSync(path, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/**
 * The sum of these times for the main threads of processes and for the calling thread. The time of a process that has ended is no longer
 * included, so the difference of two calls may be negative.
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
