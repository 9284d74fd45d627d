/** Smaller buffers are left to V8: they cost little, and may share their memory with others. */
export const minFreedBytes = 16 * 1024;

/**
 * Frees the memory of a large buffer that nobody reads again; it is empty afterwards. A buffer that shares its memory stays as it is. V8 counts
 * the buffers that it has not collected yet, and collects the whole heap for about every 50 MB of them. A forwarded byte is in two of them, as the
 * connection has read it and as the parser has copied it. Without this, a LIST of 5,000 custom resources takes kube-core three times the
 * processor time ("LIST all custom" of `npm run bench`; docs/benchmarks-parts.md, "What the tuning buys").
 */
export function freeBytes(bytes: Buffer): void {
  const { buffer, byteLength } = bytes;
  if (byteLength < minFreedBytes || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}
