import type { IncomingMessage } from 'node:http';
import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { bodyReadAhead, readBody } from '@apichain/request';

/** The body to send: nothing, bytes that can be sent again, or a stream. `length` is the announced length of the stream, if known. */
export type RequestBody = undefined | Buffer | { readonly stream: Readable; readonly length: number | undefined };

/** Bodies up to this size are read completely before they are sent, which takes one write instead of a stream. */
const maxBufferedBytes = 256 * 1024;

const methodsWithoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  if (length !== undefined) return length !== '0';
  if (request.httpVersionMajor === 1) return request.headers['transfer-encoding'] !== undefined;
  return !methodsWithoutBody.has(request.method ?? 'GET') && !endsWithHead(request);
}

/** Whether an HTTP/2 request ended with its headers. */
const endsWithHead = (request: IncomingMessage): boolean =>
  'stream' in request &&
  typeof request.stream === 'object' &&
  request.stream !== null &&
  'endAfterHeaders' in request.stream &&
  request.stream.endAfterHeaders === true;

/** The body to send. A promise rejects with BadRequest when the client disconnects in the middle of a small body. */
export function bodyOf(request: IncomingMessage): RequestBody | Promise<Buffer> {
  if (!hasBody(request)) return undefined;
  const ahead = bodyReadAhead(request);
  if (ahead !== undefined) return ahead;
  const announced = request.headers['content-length'];
  const length = announced === undefined ? undefined : Number(announced);
  if (length !== undefined && length <= maxBufferedBytes) return readBody(request);
  const stream = new MeasuredBody(length);
  request.pipe(stream, { end: false });
  // For a stream that was reset before its end, HTTP/2 emits 'end' first, and 'aborted' in the same turn.
  request.once('end', () => setImmediate(() => (request.aborted ? stream.destroy(clientGone()) : stream.end())));
  request.once('error', (error) => stream.destroy(error));
  request.once('close', () => setImmediate(() => stream.writableEnded || stream.destroy(clientGone())));
  return { stream, length };
}

const clientGone = () => new Error('the client went away');

/**
 * A body stream that fails when its length differs from the announced length. Otherwise the next server could take bytes of one request for those
 * of another.
 */
class MeasuredBody extends Transform {
  readonly #announced: number | undefined;
  #length = 0;

  constructor(announced: number | undefined) {
    super();
    this.#announced = announced;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#length += chunk.length;
    if (this.#announced !== undefined && this.#length > this.#announced) done(new Error('the body is too long'));
    else done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    const isShort = this.#announced !== undefined && this.#length < this.#announced;
    done(isShort ? new Error('the body is too short') : null);
  }
}
