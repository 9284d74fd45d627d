export { startControllers, type ControllersOptions, type RunningControllers } from './start.ts';
export { runWhileLeading, type LeaderElectionOptions } from './leader-election.ts';
export { type Logger, silentLogger } from './log.ts';
