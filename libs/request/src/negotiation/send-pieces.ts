import type { ServerResponse } from 'node:http';
import { returnScratch, scratchBytes, takeScratch } from '../scratch-buffers.ts';
import type { JoinedBytes } from './joined-bytes.ts';

/** Bodies up to this size are better joined and written at once. */
export const wholeBytes = scratchBytes;

/**
 * Writes a body whose headers have been set, piece by piece as the client takes them, so that it never lies in memory as a whole, and ends
 * the response. Resolves early when the client goes away.
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
  // What a client that went away had not taken may still be looked at; only what was taken is free for others.
  returnScratch(scratch);
}

/** Whether the connection has taken the piece. */
function written(response: ServerResponse, piece: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    response.write(piece, (error) => resolve(error === undefined || error === null));
  });
}
