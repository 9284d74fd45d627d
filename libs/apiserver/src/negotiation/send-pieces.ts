import type { ServerResponse } from 'node:http';
import type { JoinedBytes } from './joined-bytes.ts';

/**
 * Bytes of a large body that are under way at a time. With less a write costs more than what it carries, with more the copies that TLS
 * and the system make no longer fit into the processor's caches.
 */
const pieceBytes = 128 * 1024;
/** Buffers kept for the next large bodies. */
const maxSpare = 8;
const spare: Buffer[] = [];
/** Writes below this size may be held back by a connection that says it has taken them, see `CoalescedSocket`. */
const gatheredBytes = 64 * 1024;

/** Bodies up to this size are better joined and written at once. */
export const wholeBytes = pieceBytes;

/**
 * Writes a body whose headers have been set, piece by piece as the client takes them, so that it never lies in memory as a whole, and ends
 * the response. Resolves early when the client goes away.
 */
export async function sendPieces(response: ServerResponse, body: JoinedBytes): Promise<void> {
  const scratch = spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
  const closed = Promise.withResolvers<boolean>();
  const onClose = () => closed.resolve(false);
  response.once('close', onClose);
  let isOpen = !response.destroyed;
  for (const piece of body.pieces(scratch)) {
    if (!isOpen) break;
    // A connection may gather small writes and take them later.
    const kept = piece.length < gatheredBytes ? Buffer.from(piece) : piece;
    isOpen = await Promise.race([written(response, kept), closed.promise]);
  }
  response.off('close', onClose);
  if (!isOpen) return;
  response.end();
  // What a client that went away had not taken may still be looked at; only what was taken is free for others.
  if (spare.length < maxSpare) spare.push(scratch);
}

/** Whether the connection has taken the piece. */
function written(response: ServerResponse, piece: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    response.write(piece, (error) => resolve(error === undefined || error === null));
  });
}
