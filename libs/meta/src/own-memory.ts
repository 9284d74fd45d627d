/** V8 copies shorter parts of a text. */
const shortestSlice = 13;

/**
 * A copy of a text that shares no memory with the text it is a part of. V8 keeps the whole text, such as the head of a request, as long as there is
 * any part of it. For texts that are kept longer than the request.
 */
export const ownText = (text: string): string =>
  text.length < shortestSlice ? text : Buffer.from(text, 'utf16le').toString('utf16le');

/** Copies `bytes` out of Node's buffer pool: a small buffer that is kept long would otherwise retain a whole block of the pool. */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
