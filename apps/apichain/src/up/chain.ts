import type { ServerActivity } from '@apichain/apiserver';
import type { UpOptions } from './options.ts';

/** What a chain has to do. */
export interface Activity {
  /** The number of its objects. */
  readonly objects: number;
  /** The number of requests since its start. */
  readonly requests: number;
}

/** The activity of all servers of a chain. Their stores may have the same resources, and each counts once. */
export function activityFrom(servers: readonly ServerActivity[]): Activity {
  const objects = new Map(servers.flatMap((server) => Object.entries(server.objects)));
  return {
    objects: [...objects.values()].reduce((sum, count) => sum + count, 0),
    requests: servers.reduce((sum, { requests }) => sum + requests, 0),
  };
}

/** A running chain, in several processes or in this process. */
export interface UpChain {
  readonly ready: boolean;
  /** What the start is doing, for the user who waits: `starting etcd`. */
  readonly stage: string;
  /**
   * Resolves when the chain is ready and its kubeconfig is written, or when `stop` was called meanwhile. `certificates` resolves when they are
   * in the data directory.
   */
  start(options: UpOptions, certificates: Promise<void>): Promise<void>;
  /** Rejects when the chain cannot continue. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
  warnings(): string[];
  /** Undefined while a service does not respond. */
  activity(): Promise<Activity | undefined>;
  /** Lets `restoreSeed` bring back what the store holds now. To be called once, when the chain is ready. */
  keepSeed(): void;
  /** Brings the store back to the seed while the chain runs on. False where that is not possible: the chain must be started with an empty store. */
  restoreSeed(): Promise<boolean>;
}
