import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from './platform.ts';
import type { Recording } from '../comparison/recording.ts';

const pauseMs = 20;

/** Sends requests to paths all the time, one after the other, and counts failures and the slowest response of each path. */
export class Neighbours {
  readonly #platform: Platform;
  readonly #results = new Map<string, { requests: number; failures: number; slowestMs: number }>();
  readonly #running: Promise<unknown>;
  #stopped = false;

  constructor(platform: Platform, paths: readonly string[]) {
    this.#platform = platform;
    this.#running = Promise.all(paths.map((path) => this.#ask(path)));
  }

  /** Stops, and records what it measured under a name. */
  async stop(record: Recording, name: string): Promise<void> {
    this.#stopped = true;
    await this.#running;
    for (const [path, { requests, failures, slowestMs }] of this.#results) {
      record.text(`${name}: ${path} during it`, failures === 0 ? 'no failure' : 'failures');
      record.figure(`${name}: ${path}, requests`, requests);
      record.figure(`${name}: ${path}, failures`, failures);
      record.figure(`${name}: ${path}, slowest response in ms`, slowestMs);
    }
  }

  async #ask(path: string): Promise<void> {
    const result = { requests: 0, failures: 0, slowestMs: 0 };
    this.#results.set(path, result);
    while (!this.#stopped) {
      const started = performance.now();
      result.requests += 1;
      if (!(await this.#succeeds(path))) result.failures += 1;
      result.slowestMs = Math.max(result.slowestMs, performance.now() - started);
      await sleep(pauseMs);
    }
  }

  async #succeeds(path: string): Promise<boolean> {
    try {
      return (await this.#platform.get(path)).status === 200;
    } catch (error) {
      if (error instanceof Error) return false;
      throw error;
    }
  }
}
