/**
 * How much of a large body is put together and written at a time, in bytes. With less a write costs more than what it carries, with more the
 * copies that TLS and the system make no longer fit into the processor's caches ("LIST all" of `npm run bench`).
 */
export const scratchBytes = 128 * 1024;

/** Buffers kept for the next large bodies. */
const maxSpare = 8;
const spare: Buffer[] = [];

/**
 * A buffer of `scratchBytes` with anything in it. A new one for each body would have V8 collect garbage all the time: an answer of 200 KB then takes
 * 1.9 times the processor time, and the process 60 MiB more. For one of 14 MB it makes no difference. See docs/benchmarks.md, "What the tuning buys".
 */
export function takeScratch(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(scratchBytes);
}

/** Returns a buffer that nobody looks at any more. */
export function returnScratch(scratch: Buffer): void {
  if (spare.length < maxSpare) spare.push(scratch);
}
