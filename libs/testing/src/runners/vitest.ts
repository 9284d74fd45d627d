import type { StartChainOptions, TestChain } from '../test-chain.ts';
import { SharedChain } from './shared-chain.ts';

/** Hands a fixture to the test, and resolves when the test no longer needs it. */
type Use<T> = (value: T) => Promise<void>;

/** What tests with these fixtures get. The type argument of `test.extend`. */
export interface ChainContext {
  /** The chain, with the objects of its start. */
  chain: TestChain;
  /** The chain of the test file, which `chain` is made of. */
  sharedChain: SharedChain;
}

/** Fixtures for `test.extend` of vitest: https://vitest.dev/guide/test-context.html */
export interface ChainFixtures {
  chain: (context: Pick<ChainContext, 'sharedChain'>, use: Use<TestChain>) => Promise<void>;
  sharedChain: [(context: object, use: Use<SharedChain>) => Promise<void>, { scope: 'file' }];
}

/**
 * A chain for each test file that uses it, with vitest: `const test = base.extend<ChainContext>(chainFixtures({ crds: ['config/crd'] }))`, then
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
