export { probeTimeoutMs, type LivenessProbe, type LivenessTimes } from './liveness.ts';
export { runService, workerCount } from './supervise-workers.ts';
export { Supervised } from './supervised.ts';
export type { Worker } from './worker.ts';
