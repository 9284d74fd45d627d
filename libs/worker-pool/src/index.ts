export { WorkerPool } from './worker-pool.ts';
export { WorkerFailure } from './pool-thread.ts';
