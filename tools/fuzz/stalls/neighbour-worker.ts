import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Target } from '../target.ts';
import type { NeighbourOptions } from './neighbour.ts';
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
function totalRunDelayMs(pids: readonly number[]): number {
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

const pauseMs = 2;
const { target: options, paths, pids } = workerData as NeighbourOptions;

let longest = 0;
let failed = 0;
let succeeded = 0;

interface Moment {
  readonly time: number;
  readonly runDelay: number;
}

const moment = (): Moment => ({ time: performance.now(), runDelay: totalRunDelayMs(pids) });

/** The elapsed time without the run delay of a busy machine, which is not caused by a request. */
function waited(since: Moment): number {
  const now = moment();
  return now.time - since.time - Math.max(0, now.runDelay - since.runDelay);
}

const underWay = new Map<string, Moment>();

async function ask(target: Target, path: string): Promise<void> {
  const start = moment();
  underWay.set(path, start);
  const outcome = await target.send({ method: 'GET', path, query: [], headers: {} });
  underWay.delete(path);
  if (outcome.kind === 'response' && outcome.status < 500) succeeded++;
  else failed++;
  longest = Math.max(longest, waited(start));
}

for (const path of paths) {
  void (async () => {
    for (const target = new Target(options); ; await sleep(pauseMs)) await ask(target, path);
  })();
}

parentPort?.on('message', (message) => {
  if (message === 'begin') {
    longest = failed = succeeded = 0;
    const now = moment();
    for (const path of underWay.keys()) underWay.set(path, now);
    parentPort?.postMessage('begun');
    return;
  }
  for (const start of underWay.values()) longest = Math.max(longest, waited(start));
  parentPort?.postMessage({ longest, failed, succeeded });
});
