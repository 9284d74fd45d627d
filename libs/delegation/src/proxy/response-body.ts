import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { asError } from '@apichain/meta';
import { deliveryRounds } from '@apichain/storage';
import type { RequestScope } from '@apichain/request';
import { freeBytes, minFreedBytes } from './free-bytes.ts';

/** Responses with a known length up to this limit are written in one piece with their headers. */
const maxWholeBytes = 256 * 1024;

/** Receives the parts and the outcome of a response. */
interface ResponseReceiver {
  /** The bytes are valid during the call only. Whoever keeps them copies them. */
  part(bytes: Buffer): void;
  /** The body is complete; the receiver must still call `end` of the body. */
  end(): void;
  failed(error: Error): void;
}

/** The body of another server's response on its way to the client. The status and headers have been set. */
export class ResponseBody {
  readonly #response: ServerResponse;
  readonly #upstream: IncomingMessage;
  readonly #receiver: ResponseReceiver;
  readonly #isWhole: boolean;
  readonly #inRounds: boolean;
  #waiting: Buffer[] = [];
  #scheduled = false;

  /** `length` is the announced length in bytes, NaN when there is none. */
  constructor(
    scope: RequestScope,
    response: ServerResponse,
    upstream: IncomingMessage,
    length: number,
    receiver: ResponseReceiver,
  ) {
    this.#response = response;
    this.#upstream = upstream;
    this.#receiver = receiver;
    this.#inRounds = scope.longRunning;
    this.#isWhole = !scope.longRunning && length <= maxWholeBytes;
    if (!this.#isWhole) response.writeHead(response.statusCode);
    upstream.on('data', (bytes: Buffer) => this.#take(bytes));
    upstream.once('end', () => receiver.end());
    upstream.once('error', (error) => receiver.failed(error));
    if (!(length < minFreedBytes)) freeReadBytes(upstream);
    upstream.once('close', () => upstream.readableEnded || receiver.failed(new Error('the other side broke off')));
    if (!scope.longRunning) return;
    response.flushHeaders();
    scope.initialized();
  }

  #take(bytes: Buffer): void {
    this.#receiver.part(bytes);
    if (this.#isWhole) this.#waiting.push(bytes);
    else if (this.#inRounds) this.#gather(bytes);
    else this.#write(bytes);
  }

  #gather(bytes: Buffer): void {
    this.#waiting.push(bytes);
    if (this.#scheduled) return;
    this.#scheduled = true;
    // One write of ten events costs the same as a write of one. The watches of this process and those of other servers share its time.
    deliveryRounds.schedule(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#write(joined(waiting));
  }

  #write(bytes: Buffer): void {
    const response = this.#response;
    try {
      if (response.writableEnded || response.destroyed) return;
      if (response.write(bytes, freesWritten(response) ? freeWhenWritten(bytes) : undefined)) return;
    } catch (error) {
      this.#receiver.failed(asError(error));
      return;
    }
    // Node copies buffered parts together to encrypt them. Writing them one at a time is cheaper.
    if (this.#upstream.isPaused()) return;
    this.#upstream.pause();
    response.once('drain', () => this.#upstream.resume());
  }

  /** Ends the response to the client. */
  end(): void {
    if (this.#isWhole) {
      this.#response.end(this.#waiting.length === 0 ? undefined : joined(this.#waiting));
      return;
    }
    this.#flush();
    this.#response.end();
  }

  /** Writes the buffered parts to the client before the response is aborted. */
  flush(): void {
    if (!this.#isWhole) this.#flush();
  }
}

/** A client in the same process gets the bytes themselves and not a copy of them, and may keep them. Its connection is no socket. */
const freesWritten = ({ socket }: ServerResponse): boolean => socket instanceof Socket;

const freeWhenWritten = (bytes: Buffer) => (error: Error | null | undefined) => {
  // After a failure, the connection may still read the bytes.
  if (!error) freeBytes(bytes);
};

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const whole = Buffer.concat(parts);
  for (const part of parts) freeBytes(part);
  return whole;
}

/** Frees what the connection has read for a response, once the parser has copied the body out of it. */
function freeReadBytes(upstream: IncomingMessage): void {
  const { socket } = upstream;
  // In a later tick, whether the parser or this listener comes first.
  const onData = (bytes: Buffer) => process.nextTick(freeBytes, bytes);
  const stop = () => socket.off('data', onData);
  socket.on('data', onData);
  // At 'end' at the latest: the next request of the connection gets what is read after that.
  upstream.once('end', stop);
  upstream.once('close', stop);
}
