import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { EtcdError, neverSent } from './etcd-error.ts';
import { type GrpcStatus, grpcStatus, isGrpcStatus } from './grpc-status.ts';

/*
 * What unary calls and streams have in common. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */

/** One flag byte (compressed or not) and the length of the message. */
export const prefixLength = 5;

export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixLength + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixLength);
  return frame;
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
function statusOfHttp(code: number | undefined): GrpcStatus {
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
export function failureOf(headers: IncomingHttpHeaders, httpStatus: number | undefined): EtcdError | undefined {
  const status = headers['grpc-status'];
  if (status === undefined) {
    const code = httpStatus === 200 ? grpcStatus.INTERNAL : statusOfHttp(httpStatus);
    return new EtcdError(code, `no gRPC status in an HTTP ${String(httpStatus)} answer`);
  }
  const code = Number(status);
  if (code === grpcStatus.OK) return undefined;
  return new EtcdError(
    isGrpcStatus(code) ? code : grpcStatus.UNKNOWN,
    messageText(String(headers['grpc-message'] ?? '')),
  );
}

/** A stream that ended without an answer. */
export function endWithoutAnswer(stream: ClientHttp2Stream, cause: Error | undefined): EtcdError {
  // The server says that it has not looked at the request: it may be sent again.
  if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) return neverSent('the stream was refused');
  return new EtcdError(grpcStatus.UNAVAILABLE, `the call was cut off: ${cause?.message ?? 'the stream was closed'}`);
}
