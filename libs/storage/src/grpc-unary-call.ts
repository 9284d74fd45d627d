import { constants, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { status as grpcStatus } from '@grpc/grpc-js';
import { EtcdError, neverSent } from './etcd-error.ts';

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

/** One flag byte (compressed or not) and the length of the message. */
const prefixLength = 5;

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixLength + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixLength);
  return frame;
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

/** The failure that headers or trailers tell; undefined = the call succeeded. */
function failureOf(headers: IncomingHttpHeaders, httpStatus: number | undefined): EtcdError | undefined {
  const status = headers['grpc-status'];
  if (status === undefined) {
    const code = httpStatus === 200 ? grpcStatus.INTERNAL : statusOfHttp(httpStatus);
    return new EtcdError(code, `no gRPC status in an HTTP ${String(httpStatus)} answer`);
  }
  const code = Number(status);
  if (code === Number(grpcStatus.OK)) return undefined;
  const known = grpcStatus[code] === undefined ? grpcStatus.UNKNOWN : code;
  return new EtcdError(known, messageText(String(headers['grpc-message'] ?? '')));
}

/** A stream that ended without an answer. */
function endWithoutAnswer(stream: ClientHttp2Stream, cause: Error | undefined): EtcdError {
  // The server says that it has not looked at the request: it may be sent again.
  if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) return neverSent('the stream was refused');
  return new EtcdError(grpcStatus.UNAVAILABLE, `the call was cut off: ${cause?.message ?? 'the stream was closed'}`);
}

/** Sends the call and resolves with the encoded answer. Throws EtcdError. */
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
      if (failure instanceof EtcdError) return reject(failure);
      if (outcome === undefined) return reject(endWithoutAnswer(stream, failure));
      const told = failureOf(outcome, httpStatus);
      if (told !== undefined) return reject(told);
      try {
        resolve(unframed(chunks));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    stream.end(framed(request.message));
  });
}
