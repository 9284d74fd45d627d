import type { ServerResponse } from 'node:http';
import { returnScratch, scratchBytes, takeScratch } from '../scratch-buffers.ts';
import type { JoinedBytes } from './joined-bytes.ts';

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
