export { startScheduler, type RunningScheduler, type StartSchedulerOptions } from './start.ts';
