import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TargetOptions } from '../target.ts';

/** What the other client asks all the time: small objects, from all services. */
export interface NeighbourOptions {
  readonly target: TargetOptions;
  readonly paths: readonly string[];
  /** Processes that answer. */
  readonly pids: readonly number[];
}

/** Longest waits, and requests that failed. */
export interface Waits {
  /** Milliseconds, without those in which a thread was ready and the machine was busy with something else. */
  readonly longest: number;
  readonly failed: number;
  readonly answered: number;
}

/**
 * A second client, in a thread of its own so that what this process does for the first one does not count: it asks one small thing
 * after the other, on a connection for each path.
 */
export class Neighbour {
  readonly #worker: Worker;

  constructor(options: NeighbourOptions) {
    this.#worker = new Worker(new URL('neighbour-worker.ts', import.meta.url), { workerData: options });
  }

  /** Begins to measure. */
  async begin(): Promise<void> {
    this.#worker.postMessage('begin');
    await once(this.#worker, 'message');
  }

  /** The waits since `begin`, those of requests under way included. */
  async end(): Promise<Waits> {
    this.#worker.postMessage('end');
    const [waits] = (await once(this.#worker, 'message')) as [Waits];
    return waits;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
