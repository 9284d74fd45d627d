/**
 * The size in bytes of the pieces in which a large body is joined and written. With smaller pieces, a write costs more than the data it carries.
 * With larger ones, the copies of TLS and the kernel no longer fit into the processor's caches ("LIST all" of `npm run bench`).
 */
export const scratchBytes = 128 * 1024;

/** The number of buffers kept for the next large bodies. */
const maxSpare = 8;
const spare: Buffer[] = [];

/**
 * Returns a buffer of `scratchBytes` with arbitrary content. A new buffer for each body would keep the garbage collector busy: a response of 200
 * KB then takes 1.9 times the processor time, and the process 60 MiB more. For a response of 14 MB it makes no difference. See docs/benchmarks.md,
 * "What the tuning buys".
 */
export function takeScratch(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(scratchBytes);
}

/** Gives back a buffer that is no longer in use. */
export function returnScratch(scratch: Buffer): void {
  if (spare.length < maxSpare) spare.push(scratch);
}
