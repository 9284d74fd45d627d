export { runScheduler } from './leading.ts';
export { startScheduler, type RunningScheduler } from './start.ts';
