import { AsyncLocalStorage } from 'node:async_hooks';
import type { Activity } from './activity.ts';
import type { Clock } from './clock.ts';

/** What a program takes from its surroundings, and a test may replace for one chain. */
export interface Runtime {
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Returns numbers from 0 (inclusive) to 1 (exclusive). Default: Math.random. */
  readonly random?: () => number;
  /** Is told of the work that is under way. Default: nobody is. */
  readonly activity?: Activity;
}

const runtimes = new AsyncLocalStorage<Runtime>();

/** The runtime of the caller; undefined outside of `withRuntime`. */
export const currentRuntime = (): Runtime | undefined => runtimes.getStore();

/** Runs `action`, and the asynchronous work that it starts, with this runtime. What it does not have is the default again. */
export const withRuntime = <T>(runtime: Runtime, action: () => T): T => runtimes.run(runtime, action);

/** The activity of the caller's runtime. */
export const currentActivity = (): Activity | undefined => currentRuntime()?.activity;
