import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGzip, type Gzip } from 'node:zlib';
import { pause, type Pieces } from '@apichain/meta';
import { mayRespond } from '../respond-once.ts';
import { LargeItems } from './large-items.ts';
import { wholeBytes } from './send-pieces.ts';

/** `gzip` must be listed without a weight; with a weight it is ignored. */
export const acceptsGzip = (request: IncomingMessage): boolean =>
  (request.headers['accept-encoding'] ?? '')
    .toString()
    .split(',')
    .some((encoding) => encoding.trim() === 'gzip');

/** What is made and not sent: pieces until they are worth a write. */
class Gathered {
  #pieces: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: string | Buffer): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  take(): Buffer {
    const all = this.#pieces.length === 1 ? (this.#pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return all;
  }
}

/** Where the pieces of a large body go: the response itself, or a compressor in front of it. */
class Sink {
  readonly #response: ServerResponse;
  readonly #gzip: Gzip | undefined;
  readonly #closed = Promise.withResolvers<void>();

  constructor(response: ServerResponse, compressed: boolean) {
    this.#response = response;
    this.#gzip = compressed ? createGzip({ level: 1 }) : undefined;
    response.once('close', this.#onClose);
    this.#gzip?.pipe(response);
  }

  readonly #onClose = (): void => {
    this.#closed.resolve();
    this.#gzip?.destroy();
  };

  /** Resolves when the client has taken so much that more may be made. */
  async write(bytes: Buffer): Promise<void> {
    const taken = new Promise<void>((resolve) => {
      (this.#gzip ?? this.#response).write(bytes, () => resolve());
    });
    await Promise.race([taken, this.#closed.promise]);
  }

  end(): void {
    (this.#gzip ?? this.#response).end();
  }

  /** Breaks the response off, because the rest of it cannot be made. */
  fail(error: Error): void {
    this.#gzip?.destroy();
    this.#response.destroy(error);
  }
}

/**
 * Sends a body that is made in pieces, at the pace at which the client reads; other requests are served between the pieces. A body of up to 128 KiB
 * is made as a whole and given to `whole`. Throws what `pieces` throws before that much; later the response is broken off.
 */
export async function writePieces(
  request: IncomingMessage,
  response: ServerResponse,
  { code, contentType }: { readonly code: number; readonly contentType: string },
  pieces: Pieces<string | Buffer>,
  whole: (body: Buffer) => Promise<void>,
): Promise<void> {
  const gathered = new Gathered();
  const large = new LargeItems();
  let sink: Sink | undefined;
  try {
    // Many responses may begin, or find their clients ready, in one turn: its time may be up before the first step.
    await pause();
    for (const piece of pieces) {
      if (piece === undefined) await large.enter();
      else if (piece instanceof Promise) await piece;
      else {
        large.leave();
        if (piece.length > 0) gathered.add(piece);
      }
      await pause();
      if (response.destroyed) return;
      if (gathered.length <= wholeBytes) continue;
      if (sink === undefined) {
        if (!mayRespond(response)) return;
        sink = startBody(request, response, code, contentType);
      }
      await sendSlices(sink, gathered.take());
    }
  } catch (error) {
    if (sink === undefined || !(error instanceof Error)) throw error;
    sink.fail(error);
    return;
  } finally {
    large.leave();
  }
  if (sink === undefined) return whole(gathered.take());
  await sendSlices(sink, gathered.take());
  sink.end();
}

/** A write encrypts or compresses all of its bytes before others are served, so a large item is written in several. */
async function sendSlices(sink: Sink, bytes: Buffer): Promise<void> {
  for (let from = 0; from < bytes.length; from += wholeBytes) {
    await sink.write(bytes.subarray(from, from + wholeBytes));
    await pause();
  }
}

function startBody(request: IncomingMessage, response: ServerResponse, code: number, contentType: string): Sink {
  const compressed = acceptsGzip(request);
  response.statusCode = code;
  response.setHeader('Content-Type', contentType);
  if (compressed) {
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', 'Accept-Encoding');
  }
  return new Sink(response, compressed);
}
