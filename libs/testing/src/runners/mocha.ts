import type { StartChainOptions, TestChain } from '../test-chain.ts';
import { SharedChain, startTimeoutMs, useSharedChain } from './shared-chain.ts';

/** The part of mocha's context that a hook needs. */
interface HookContext {
  timeout(milliseconds: number): unknown;
}

/** Root hooks of mocha: https://mochajs.org/features/root-hook-plugins/ */
export interface RootHooks {
  beforeAll(this: HookContext): Promise<void>;
  beforeEach(this: HookContext): Promise<void>;
  afterAll(this: HookContext): Promise<void>;
}

/** Mocha has one set of root hooks in a process, and files of tests share nothing with it but this module. */
let rootChain: SharedChain | undefined;

/**
 * Root hooks with one chain for all test files of the process: `export const mochaHooks = rootHooks({ crds: ['config/crd'] })` in a file that
 * `.mocharc` requires. `chain()` gives the chain.
 */
export function rootHooks(options: StartChainOptions = {}): RootHooks {
  const shared = new SharedChain(options);
  return {
    async beforeAll() {
      this.timeout(startTimeoutMs);
      rootChain = shared;
      await shared.start();
    },
    async beforeEach() {
      await shared.reset();
    },
    async afterAll() {
      await shared.stop();
    },
  };
}

/** Root hooks without options, for `mocha --require apichain/mocha`. */
export const mochaHooks = rootHooks();

/** The chain of the root hooks. Throws Error without them, and outside of tests and hooks. */
export function chain(): TestChain {
  if (rootChain === undefined) throw new Error('mocha has no root hooks of apichain: require apichain/mocha');
  return rootChain.chain;
}

type RegisterHook = (hook: (this: HookContext) => Promise<void>) => void;

/**
 * A chain for the tests of a file, or of a `describe`. It starts before the first test; each test begins with the objects of the start. Returns a
 * function that gives the chain. Throws Error when mocha does not run the file.
 */
export function useChain(options: StartChainOptions = {}): () => TestChain {
  const { before, beforeEach, after } = globalThis as Partial<Record<'before' | 'beforeEach' | 'after', RegisterHook>>;
  if (before === undefined || beforeEach === undefined || after === undefined)
    throw new Error('apichain/mocha is for tests that mocha runs with its bdd interface');
  const registered = (register: RegisterHook) => (hook: () => Promise<void>) =>
    register(function () {
      this.timeout(startTimeoutMs);
      return hook();
    });
  const hooks = { before: registered(before), beforeEach: registered(beforeEach), after: registered(after) };
  return useSharedChain(hooks, options);
}
