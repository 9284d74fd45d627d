import type { IncomingMessage } from 'node:http';
import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { readBody } from '@apichain/request';

/** What goes on: nothing, bytes that can be sent twice, or a stream, of which `length` is announced if it is known. */
export type RequestBody = undefined | Buffer | { readonly stream: Readable; readonly length: number | undefined };

/** Bodies up to this size are read before they are sent on: one write instead of a stream. */
const maxBufferedBytes = 256 * 1024;

const methodsWithoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  if (length !== undefined) return length !== '0';
  if (request.httpVersionMajor === 1) return request.headers['transfer-encoding'] !== undefined;
  return !methodsWithoutBody.has(request.method ?? 'GET') && !endsWithHead(request);
}

/** Whether an HTTP/2 request had nothing behind its headers. */
const endsWithHead = (request: IncomingMessage): boolean =>
  'stream' in request &&
  typeof request.stream === 'object' &&
  request.stream !== null &&
  'endAfterHeaders' in request.stream &&
  request.stream.endAfterHeaders === true;

/** The body as it goes on. A promise rejects with BadRequest when the client goes away in the middle of a small one. */
export function bodyOf(request: IncomingMessage): RequestBody | Promise<Buffer> {
  if (!hasBody(request)) return undefined;
  const announced = request.headers['content-length'];
  const length = announced === undefined ? undefined : Number(announced);
  if (length !== undefined && length <= maxBufferedBytes) return readBody(request);
  const stream = new MeasuredBody(length);
  request.pipe(stream, { end: false });
  // Of a stream that was reset in the middle HTTP/2 says first that it has ended, and in the same turn that it was aborted.
  request.once('end', () => setImmediate(() => (request.aborted ? stream.destroy(clientGone()) : stream.end())));
  request.once('error', (error) => stream.destroy(error));
  request.once('close', () => setImmediate(() => stream.writableEnded || stream.destroy(clientGone())));
  return { stream, length };
}

const clientGone = () => new Error('the client went away');

/**
 * A body on its way. One that is not as long as announced breaks off: what the next server took for the body, or for the next request,
 * would be another's.
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
