import { startChain } from '../start-chain.ts';
import type { ChainSnapshot } from '../snapshots.ts';
import type { StartChainOptions, TestChain } from '../test-chain.ts';

/** One chain for several tests, each of which begins with the objects of the start. */
export class SharedChain {
  readonly #options: StartChainOptions;
  #chain: TestChain | undefined;
  #clean: ChainSnapshot | undefined;
  #isUsed = false;

  constructor(options: StartChainOptions = {}) {
    this.#options = options;
  }

  /** Throws Error before `start` and after `stop`. */
  get chain(): TestChain {
    if (this.#chain === undefined) throw new Error('the chain runs only while tests and their hooks run');
    return this.#chain;
  }

  /** Throws as startChain does. */
  async start(): Promise<void> {
    this.#chain = await startChain(this.#options);
    this.#clean = this.#chain.isExistingCluster ? undefined : this.#chain.snapshot();
    this.#isUsed = false;
  }

  /**
   * Called before each test: restores the objects, removes faults and recorded requests, and resets the clock, if there was a test before. An
   * existing cluster stays as it is.
   */
  async reset(): Promise<void> {
    const { chain } = this;
    if (this.#isUsed && this.#clean !== undefined) {
      chain.faults.clear();
      await chain.clock.reset();
      await chain.restore(this.#clean);
    }
    if (this.#isUsed) chain.clearRequests();
    this.#isUsed = true;
  }

  async stop(): Promise<void> {
    const chain = this.#chain;
    this.#chain = undefined;
    await chain?.stop();
  }
}

/** The hooks of a test runner. */
export interface RunnerHooks {
  before(hook: () => Promise<void>): void;
  beforeEach(hook: () => Promise<void>): void;
  after(hook: () => Promise<void>): void;
}

/** How long a runner may wait for the start of a chain. Some give a hook only two seconds, which a busy machine may need. */
export const startTimeoutMs = 60_000;

/** Registers the hooks of a chain that tests share. The returned function gives the chain while they run; before that it throws Error. */
export function useSharedChain(hooks: RunnerHooks, options: StartChainOptions = {}): () => TestChain {
  const shared = new SharedChain(options);
  hooks.before(() => shared.start());
  hooks.beforeEach(() => shared.reset());
  hooks.after(() => shared.stop());
  return () => shared.chain;
}
