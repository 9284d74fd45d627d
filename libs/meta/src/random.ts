/** A random number from 0 up to, but not including, 1: for jitter, tie-breaks and names. Not for secrets. */
export const random = (): number => Math.random();
