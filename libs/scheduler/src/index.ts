export { runScheduler, type RunSchedulerOptions } from './leading.ts';
export { startScheduler, type RunningScheduler, type StartSchedulerOptions } from './start.ts';
