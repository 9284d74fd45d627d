import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TargetOptions } from '../target.ts';

/** The requests that the other client repeats: small objects from all services. */
export interface NeighbourOptions {
  readonly target: TargetOptions;
  readonly paths: readonly string[];
  /** The process ids of the servers. */
  readonly pids: readonly number[];
}

/** The longest wait, and the number of failed requests. */
export interface Waits {
  /** Milliseconds, without the time in which a thread was ready but waited for a processor. */
  readonly longest: number;
  readonly failed: number;
  readonly succeeded: number;
}

/**
 * A second client, in a separate thread, so that the work of this process for the first client is not measured. It sends one small request
 * after the other, on one connection for each path.
 */
export class Neighbour {
  readonly #worker: Worker;

  constructor(options: NeighbourOptions) {
    this.#worker = new Worker(new URL('neighbour-worker.ts', import.meta.url), { workerData: options });
  }

  /** Starts a measurement. */
  async begin(): Promise<void> {
    this.#worker.postMessage('begin');
    await once(this.#worker, 'message');
  }

  /** The waits since `begin`, including those of pending requests. */
  async end(): Promise<Waits> {
    this.#worker.postMessage('end');
    const [waits] = (await once(this.#worker, 'message')) as [Waits];
    return waits;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
