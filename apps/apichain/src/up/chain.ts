import type { UpOptions } from './options.ts';

/** How a chain runs: in several processes or in this one. */
export interface UpChain {
  readonly ready: boolean;
  /** Resolves when the chain is ready and its kubeconfig written, or `stop` was called meanwhile. */
  start(options: UpOptions): Promise<void>;
  /** Rejects when the chain cannot go on. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
  warnings(): string[];
}
