import { newInternalError } from '@apichain/meta';
import type { Workers } from '@apichain/request';
import { WorkerFailure } from '@apichain/worker-pool';

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
