import { constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { TurnBatch } from '@apichain/meta';
import { EtcdError } from './etcd-error.ts';
import { endWithoutAnswer, failureOf, framed, prefixLength } from './grpc-answer.ts';
import { grpcStatus } from './grpc-status.ts';

/*
 * One unary gRPC call on an HTTP/2 session. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */

export interface UnaryRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** The encoded request message. */
  readonly message: Uint8Array;
  /** Milliseconds until the call is given up. */
  readonly timeout: number;
}

const answered = new TurnBatch();

/** The message of an answer. Throws EtcdError when the bytes are not exactly one plain message. */
function unframed(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
  if (bytes.length < prefixLength || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - prefixLength) {
    throw new EtcdError(grpcStatus.INTERNAL, `an answer of ${String(bytes.length)} bytes is no gRPC message`);
  }
  return bytes.subarray(prefixLength);
}

/** Sends the call and resolves with the encoded answer, together with those that came in the same turn. Throws EtcdError. */
export function unaryCall(session: ClientHttp2Session, request: UnaryRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': request.path,
      'content-type': 'application/grpc',
      'grpc-timeout': `${String(Math.ceil(request.timeout))}m`,
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    let httpStatus: number | undefined;
    let outcome: IncomingHttpHeaders | undefined;
    let failure: Error | undefined;
    const timer = setTimeout(() => {
      failure = new EtcdError(grpcStatus.DEADLINE_EXCEEDED, 'Deadline exceeded');
      stream.close(constants.NGHTTP2_CANCEL);
    }, request.timeout);
    stream.on('response', (headers) => {
      httpStatus = headers[':status'];
      if (headers['grpc-status'] !== undefined || httpStatus !== 200) outcome = headers;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('trailers', (headers: IncomingHttpHeaders) => {
      outcome = headers;
    });
    stream.on('error', (error: Error) => {
      failure ??= error;
    });
    stream.on('close', () => {
      clearTimeout(timer);
      // V8 keeps every stream of Node until the next major collection: what the call holds need not stay with it.
      stream.removeAllListeners();
      if (failure instanceof EtcdError) return reject(failure);
      if (outcome === undefined) return reject(endWithoutAnswer(stream, failure));
      const told = failureOf(outcome, httpStatus);
      if (told !== undefined) return reject(told);
      try {
        const message = unframed(chunks);
        answered.add(() => resolve(message));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    stream.end(framed(request.message));
  });
}
