import type { StartChainOptions, TestChain } from '../test-chain.ts';
import { startTimeoutMs, useSharedChain } from './shared-chain.ts';

type RegisterHook = (hook: () => Promise<void>, timeoutMs: number) => void;

/** The globals of jest that register hooks. */
export interface JestGlobals {
  readonly beforeAll?: RegisterHook;
  readonly beforeEach?: RegisterHook;
  readonly afterAll?: RegisterHook;
}

/** Jest loads this module anew for each file of tests, which shares nothing else with the preset. */
let presetChain: (() => TestChain) | undefined;

/**
 * A chain for the tests of a file, or of a `describe`. It starts before the first test; each test begins with the objects of the start. Returns a
 * function that gives the chain. Throws Error when jest does not run the file.
 */
export function useChain(options: StartChainOptions = {}): () => TestChain {
  return useChainIn(globalThis, options);
}

/** As useChain, with the globals of the file: jest gives each file globals of its own. */
export function useChainIn(
  { beforeAll, beforeEach, afterAll }: JestGlobals,
  options: StartChainOptions = {},
): () => TestChain {
  if (beforeAll === undefined || beforeEach === undefined || afterAll === undefined)
    throw new Error('apichain/jest is for tests that jest runs with its globals (injectGlobals)');
  const registered = (register: RegisterHook) => (hook: () => Promise<void>) => register(hook, startTimeoutMs);
  const hooks = { before: registered(beforeAll), beforeEach: registered(beforeEach), after: registered(afterAll) };
  return useSharedChain(hooks, options);
}

/** What the preset `apichain` calls for each test file. The options are those of `globals.apichain` in jest's configuration. */
export function setUpPreset(globals: JestGlobals & { readonly apichain?: StartChainOptions }): void {
  presetChain = useChainIn(globals, globals.apichain);
}

/** The chain that the preset `apichain` starts for each test file. Throws Error without the preset, and outside of tests and hooks. */
export function chain(): TestChain {
  if (presetChain === undefined) throw new Error('jest has no preset of apichain: set "preset": "apichain"');
  return presetChain();
}
