import { constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { EtcdError } from './etcd-error.ts';
import { endWithoutAnswer, failureOf, framed, prefixLength } from './grpc-answer.ts';
import { grpcStatus } from './grpc-status.ts';

/** What comes of a stream. */
export interface StreamHandlers {
  /** Gets each encoded message. */
  readonly onMessage: (message: Buffer) => void;
  /** The stream is over, by whatever cause but `cancel`. Called once. */
  readonly onEnd: (cause: EtcdError) => void;
}

/** A gRPC call with a stream of messages in both directions. */
export interface MessageStream {
  write(message: Uint8Array): void;
  /** Lets the server wait; messages that have arrived already still come. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

/** Puts messages together from pieces of any size. */
class Deframer {
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes until the next message, or its prefix, is complete. */
  #wanted = prefixLength;

  /** Throws EtcdError for what is no gRPC message. */
  push(chunk: Buffer, onMessage: (message: Buffer) => void): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#wanted) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (;;) {
      this.#wanted = bytes.length < prefixLength ? prefixLength : prefixLength + bytes.readUInt32BE(1);
      if (bytes.length < this.#wanted) break;
      if (bytes[0] !== 0) throw new EtcdError(grpcStatus.INTERNAL, 'a compressed message came that nobody asked for');
      onMessage(bytes.subarray(prefixLength, this.#wanted));
      bytes = bytes.subarray(this.#wanted);
    }
    this.#chunks = bytes.length === 0 ? [] : [bytes];
    this.#length = bytes.length;
  }
}

/** Opens a stream to `path` (`/package.Service/Method`) with `metadata` in its headers. */
export function openStream(
  session: ClientHttp2Session,
  { path, metadata }: { readonly path: string; readonly metadata: Readonly<Record<string, string>> },
  { onMessage, onEnd }: StreamHandlers,
): MessageStream {
  const stream = session.request(
    { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...metadata },
    { endStream: false },
  );
  const deframer = new Deframer();
  let cancelled = false;
  let httpStatus: number | undefined;
  let outcome: IncomingHttpHeaders | undefined;
  let failure: Error | undefined;
  stream.on('response', (headers) => {
    httpStatus = headers[':status'];
    if (headers['grpc-status'] !== undefined || httpStatus !== 200) outcome = headers;
  });
  stream.on('data', (chunk: Buffer) => {
    if (cancelled || failure !== undefined) return;
    try {
      deframer.push(chunk, (message) => {
        if (!cancelled) onMessage(message);
      });
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      stream.close(constants.NGHTTP2_CANCEL);
    }
  });
  stream.on('trailers', (headers: IncomingHttpHeaders) => {
    outcome = headers;
  });
  // A server that is done does not wait for more from us.
  stream.on('end', () => stream.end());
  stream.on('error', (error: Error) => {
    failure ??= error;
  });
  stream.on('close', () => {
    if (cancelled) return;
    if (failure instanceof EtcdError) return onEnd(failure);
    if (outcome === undefined) return onEnd(endWithoutAnswer(stream, failure));
    onEnd(failureOf(outcome, httpStatus) ?? new EtcdError(grpcStatus.UNAVAILABLE, 'the server ended the stream'));
  });
  return {
    write: (message) => {
      if (!stream.destroyed && !stream.writableEnded) stream.write(framed(message));
    },
    pause: () => {
      stream.pause();
    },
    resume: () => {
      stream.resume();
    },
    cancel: () => {
      cancelled = true;
      stream.close(constants.NGHTTP2_CANCEL);
    },
  };
}
