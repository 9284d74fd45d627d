import { EtcdError, neverSent } from './etcd-error.ts';
import { failureOf, framed, prefixLength } from './grpc-answer.ts';
import { grpcStatus } from './grpc-status.ts';
import type { Header } from './http2/hpack.ts';
import type { Http2Session } from './http2/session.ts';
import { StreamError, type Answer } from './http2/stream.ts';

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

/** The message of an answer. Throws EtcdError when the bytes are not exactly one plain message. */
function unframed(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
  if (bytes.length < prefixLength || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - prefixLength) {
    throw new EtcdError(grpcStatus.INTERNAL, `an answer of ${String(bytes.length)} bytes is no gRPC message`);
  }
  return bytes.subarray(prefixLength);
}

function toEtcdError(error: unknown): unknown {
  if (!(error instanceof StreamError)) return error;
  switch (error.failure) {
    // The server says that it has not looked at the request: it may be sent again.
    case 'refused':
      return neverSent(error.message);
    case 'timeout':
      return new EtcdError(grpcStatus.DEADLINE_EXCEEDED, 'Deadline exceeded');
    case 'cut off':
      return new EtcdError(grpcStatus.UNAVAILABLE, `the call was cut off: ${error.message}`);
  }
}

/** The headers of a call. The same list serves every call of the method. */
export const callHeaders = (origin: URL, path: string, timeout: number): readonly Header[] => [
  [':method', 'POST'],
  [':scheme', origin.protocol.slice(0, -1)],
  [':path', path],
  [':authority', origin.host],
  ['content-type', 'application/grpc'],
  ['grpc-timeout', `${String(Math.ceil(timeout))}m`],
  ['te', 'trailers'],
];

/** Sends the call and resolves with the encoded answer. Throws EtcdError. */
export async function unaryCall(
  session: Http2Session,
  headers: readonly Header[],
  { message, timeout }: UnaryRequest,
): Promise<Buffer> {
  let answer: Answer;
  try {
    answer = await session.request({ headers, body: framed(message), timeout });
  } catch (error) {
    throw toEtcdError(error);
  }
  const told = answer.trailers ?? answer.headers;
  const failure = failureOf((name) => told.get(name), Number(answer.headers.get(':status')));
  if (failure !== undefined) throw failure;
  return unframed(answer.body);
}
