<<<<<<< ours
import { constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { EtcdError } from './etcd-error.ts';
import { endWithoutAnswer, failureOf, framed, prefixLength } from './grpc-answer.ts';
import { grpcStatus } from './grpc-status.ts';
=======
import { status as grpcStatus } from '@grpc/grpc-js';
import { EtcdError, neverSent } from './etcd-error.ts';
import type { Header } from './http2/hpack.ts';
import type { Http2Session } from './http2/session.ts';
import { StreamError, type Answer } from './http2/stream.ts';
>>>>>>> theirs

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

<<<<<<< ours
=======
/** The text of grpc-message, which is percent-encoded. */
function messageText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return encoded;
    throw error;
  }
}

/** What an HTTP status means where no gRPC status came: a proxy answered. */
function statusOfHttp(code: number | undefined): grpcStatus {
  switch (code) {
    case 401:
      return grpcStatus.UNAUTHENTICATED;
    case 403:
      return grpcStatus.PERMISSION_DENIED;
    case 404:
      return grpcStatus.UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504:
      return grpcStatus.UNAVAILABLE;
    default:
      return grpcStatus.UNKNOWN;
  }
}

/** The failure that an answer tells; undefined = the call succeeded. */
function failureOf({ headers, trailers }: Answer): EtcdError | undefined {
  const httpStatus = Number(headers.get(':status'));
  const told = trailers ?? headers;
  const status = told.get('grpc-status');
  if (status === undefined) {
    const code = httpStatus === 200 ? grpcStatus.INTERNAL : statusOfHttp(httpStatus);
    return new EtcdError(code, `no gRPC status in an HTTP ${String(httpStatus)} answer`);
  }
  const code = Number(status);
  if (code === Number(grpcStatus.OK)) return undefined;
  const known = grpcStatus[code] === undefined ? grpcStatus.UNKNOWN : code;
  return new EtcdError(known, messageText(told.get('grpc-message') ?? ''));
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

>>>>>>> theirs
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
  const failure = failureOf(answer);
  if (failure !== undefined) throw failure;
  return unframed(answer.body);
}
