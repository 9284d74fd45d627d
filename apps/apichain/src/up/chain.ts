import type { UpOptions } from './options.ts';

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
  /** Lets `restoreSeed` bring back what the store holds now. To be called once, when the chain is ready. */
  keepSeed(): void;
  /** Brings the store back to the seed while the chain runs on. False where that is not possible: the chain must be started with an empty store. */
  restoreSeed(): Promise<boolean>;
}
