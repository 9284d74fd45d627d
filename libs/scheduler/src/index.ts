export { runScheduler, startScheduler, type RunningScheduler } from './start.ts';
