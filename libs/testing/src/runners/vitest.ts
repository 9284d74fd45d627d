import type { StartChainOptions, TestChain } from '../test-chain.ts';
import { SharedChain } from './shared-chain.ts';

/** Hands a fixture to the test, and resolves when the test no longer needs it. */
type Use<T> = (value: T) => Promise<void>;

/** Fixtures for `test.extend` of vitest: https://vitest.dev/guide/test-context.html */
export interface ChainFixtures {
  /** The chain of the test file. Tests use `chain`. */
  sharedChain: [(context: object, use: Use<SharedChain>) => Promise<void>, { scope: 'file' }];
  /** The chain, with the objects of its start. */
  chain: (context: { sharedChain: SharedChain }, use: Use<TestChain>) => Promise<void>;
}

/**
 * A chain for each test file that uses it, with vitest: `const test = base.extend(chainFixtures({ crds: ['config/crd'] }))`, then
 * `test('...', async ({ chain }) => ...)`. Each test begins with the objects of the start, so tests of a file must not run concurrently.
 */
export function chainFixtures(options: StartChainOptions = {}): ChainFixtures {
  return {
    sharedChain: [
      // vitest reads from the parameter which other fixtures are needed.
      async ({}, use) => {
        const shared = new SharedChain(options);
        await shared.start();
        try {
          await use(shared);
        } finally {
          await shared.stop();
        }
      },
      { scope: 'file' },
    ],
    chain: async ({ sharedChain }, use) => {
      await sharedChain.reset();
      await use(sharedChain.chain);
    },
  };
}
