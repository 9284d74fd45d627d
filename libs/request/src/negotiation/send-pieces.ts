import type { ServerResponse } from 'node:http';
import type { JoinedBytes } from './joined-bytes.ts';

/**
 * The size in bytes of the pieces in which a large body is joined and written. With smaller pieces, a write costs more than the data it carries.
 * With larger ones, the copies of TLS and the kernel no longer fit into the processor's caches ("LIST all" of `npm run bench`).
 */
const scratchBytes = 128 * 1024;

/** The number of buffers kept for the next large bodies. */
const maxSpare = 8;
const spare: Buffer[] = [];

/**
 * Returns a buffer of `scratchBytes` with arbitrary content. A new buffer for each body would keep the garbage collector busy: a response of 200
 * KB then takes 1.9 times the processor time, and the process 60 MiB more. For a response of 14 MB it makes no difference. See docs/benchmarks-parts.md,
 * "What the tuning buys".
 */
function takeScratch(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(scratchBytes);
}

/** Gives back a buffer that is no longer in use. */
function returnScratch(scratch: Buffer): void {
  if (spare.length < maxSpare) spare.push(scratch);
}

/** Bodies up to this size are joined and written at once, which is cheaper. */
export const wholeBytes = scratchBytes;

/**
 * Writes a body whose headers have been set, and ends the response. The body is written in pieces as the client reads them, so that it is never in
 * memory as a whole. Resolves early when the client disconnects.
 */
export async function sendPieces(response: ServerResponse, body: JoinedBytes): Promise<void> {
  const scratch = takeScratch();
  const closed = Promise.withResolvers<boolean>();
  const onClose = () => closed.resolve(false);
  response.once('close', onClose);
  let isOpen = !response.destroyed;
  for (const piece of body.pieces(scratch)) {
    if (!isOpen) break;
    isOpen = await Promise.race([written(response, piece), closed.promise]);
  }
  response.off('close', onClose);
  if (!isOpen) return;
  response.end();
  // After a disconnect, the connection may still read the buffer. The buffer is returned only when everything was written.
  returnScratch(scratch);
}

/** Whether the piece was written to the connection. */
function written(response: ServerResponse, piece: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    response.write(piece, (error) => resolve(error === undefined || error === null));
  });
}
