import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { newInternalError } from '@apichain/meta';
import type { Workers } from '@apichain/request';
import { WorkerPool, WorkerFailure } from '@apichain/worker-pool';

/** The worker threads of a server; undefined in a program that was bundled without their file. */
export function makeWorkers(program = programFile()): WorkerPool | undefined {
  if (program === undefined) return undefined;
  // The thread that serves requests needs a core, and so do etcd and the other services.
  return new WorkerPool({ program, maxThreads: availableParallelism() > 2 ? 2 : 1 });
}

/** Beside this file: `worker-program.js` in a bundle, `worker-program.ts` among the sources. */
function programFile(): URL | undefined {
  const found = ['worker-program.js', 'worker-program.ts']
    .map((name) => join(import.meta.dirname, name))
    .find((file) => existsSync(file));
  return found === undefined ? undefined : pathToFileURL(found);
}

/** Runs a function of worker-program.ts with the parts that `prepare` makes when the work is about to begin. Resolves to its result. */
export type RunInWorker = (prepare: () => Promise<readonly Uint8Array[]>) => Promise<readonly Uint8Array[]>;

/** Runs the function in a worker thread. `bytes`: see PooledWork. Rejects with StatusError 500 when the thread fails. */
export const runInWorker =
  ({ pool, owner }: Workers, name: string, bytes: number): RunInWorker =>
  async (prepare) => {
    try {
      return await pool.run({ name, owner, bytes, prepare });
    } catch (error) {
      throw error instanceof WorkerFailure ? newInternalError(error.message) : error;
    }
  };
