import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WorkerPool } from '@apichain/worker-pool';

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
