export { WorkerPool } from './worker-pool.ts';
export { WorkerFailure } from './worker-failure.ts';
