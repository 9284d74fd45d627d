import { AsyncLocalStorage } from 'node:async_hooks';
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

/** A resource that is followed: `{ group: 'apps', resource: 'deployments', namespace: '' }`. An empty namespace stands for all. */
export interface FollowedResource {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  /** Whether only some of its objects are followed. */
  readonly isSelective: boolean;
}

/** See `Follower.is`. */
export type FollowerState = 'opening' | 'following' | 'failing';

/** Is told how far somebody who follows a resource has come. */
export interface Follower {
  /** The resource is being listed or its watch opened; is followed; or cannot be read, so that nobody should wait for it. */
  is(state: FollowerState): void;
  /** Everything up to this revision has been handled. */
  reached(resourceVersion: string): void;
  /** Resolves when an event that has arrived may be handled; undefined: at once. */
  permit(): Promise<void> | undefined;
  end(): void;
}

/**
 * Knows the work that is under way in a chain and its controllers, so that a test can wait until there is none, and determine the order of what is
 * concurrent. Work queues, informers and clients report to the activity of their runtime.
 */
export interface Activity {
  /** Work has begun that ends by itself. Returns a function to be called at its end. `what` names it in messages. */
  begin(what: string): () => void;
  /** A key is in a queue until the returned function is called: its work may have to wait for the permit of a request. */
  enqueue(what: string): () => void;
  /** Sends a request as soon as it has its permit. */
  request<T>(what: string, send: () => Promise<T>): Promise<T>;
  follow(resource: FollowedResource): Follower;
  /** Which of `count` concurrent things is next, from 0 on. */
  choose(count: number): number;
  /** A queue or informer ends: what waits for a permit need not wait for the test any more. */
  ending(): void;
}
