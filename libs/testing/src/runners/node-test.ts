import { after, before, beforeEach } from 'node:test';
import type { StartChainOptions, TestChain } from '../test-chain.ts';
import { useSharedChain } from './shared-chain.ts';

export { describe, it, test } from 'node:test';

/**
 * A chain for the tests of a file, or of a `describe`, with node:test. It starts before the first test; each test begins with the objects of the
 * start. Returns a function that gives the chain: `const chain = useChain({ crds: ['config/crd'] })`, in a test `chain().apply(...)`.
 */
export function useChain(options: StartChainOptions = {}): () => TestChain {
  return useSharedChain({ before, beforeEach, after }, options);
}
