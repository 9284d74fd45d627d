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
}
