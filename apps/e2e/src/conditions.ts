import { eventually as tryEventually, waitFor as waitForCondition } from '@apichain/testing';

/** How long a condition may take on the slowest machine, in milliseconds. */
const longestMs = 120_000;

/** `eventually` of the test library, which gives up after five seconds unless told otherwise. */
export const eventually: typeof tryEventually = (attempt, options) =>
  tryEventually(attempt, { timeoutMs: longestMs, ...options });

/** `waitFor` of the test library, which gives up after five seconds unless told otherwise. */
export const waitFor: typeof waitForCondition = (condition, options) =>
  waitForCondition(condition, { timeoutMs: longestMs, ...options });
