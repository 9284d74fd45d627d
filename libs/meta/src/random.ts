import { randomUUID } from 'node:crypto';
import { currentRuntime } from './runtime.ts';

/**
 * A random number from 0 (inclusive) to 1 (exclusive): for names, jitter and choices among equals. A chain with a seed gives the same numbers again.
 * Secrets come from node:crypto instead.
 */
export const random = (): number => (currentRuntime()?.random ?? Math.random)();

/** A random integer from 0 (inclusive) to `end` (exclusive). */
export const randomBelow = (end: number): number => Math.floor(random() * end);

const hex = (digits: number): string => Array.from({ length: digits }, () => randomBelow(16).toString(16)).join('');

/** A random UUID (version 4), for the uid of an object. */
export function newUid(): string {
  if (currentRuntime()?.random === undefined) return randomUUID();
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${(8 + randomBelow(4)).toString(16)}${hex(3)}-${hex(12)}`;
}

/** A sequence of random numbers that a seed determines (mulberry32): as good as tests need, and the same on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
