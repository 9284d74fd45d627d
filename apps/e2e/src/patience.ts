import { eventually as tryEventually, waitFor as waitForCondition } from '@apichain/testing';

/** How long a condition may take on the slowest machine, in milliseconds. */
const longestMs = 120_000;

/** `eventually` of the test library, which gives up after five seconds. */
export const eventually: typeof tryEventually = (attempt, options) =>
  tryEventually(attempt, { ...options, timeoutMs: longestMs });

/** `waitFor` of the test library, which gives up after five seconds. */
export const waitFor: typeof waitForCondition = (condition, options) =>
  waitForCondition(condition, { ...options, timeoutMs: longestMs });
