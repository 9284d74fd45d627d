/**
 * Sets the seed of property tests, so that a run tests a state of the sources and not its luck. mocha loads this file before the tests.
 *
 *   APICHAIN_TEST_SEED=random npm test     other examples at each run
 *   APICHAIN_TEST_SEED=NUMBER npm test     the examples of a seed that a failure has printed
 */
import fc from 'fast-check';

const given = process.env.APICHAIN_TEST_SEED ?? '1';
if (given !== 'random') {
  const seed = Number(given);
  if (!Number.isInteger(seed)) throw new Error(`APICHAIN_TEST_SEED: "${given}" is neither "random" nor an integer`);
  fc.configureGlobal({ seed });
}
