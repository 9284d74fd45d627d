import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { returnScratch, scratchBytes, takeScratch } from './scratch-buffers.ts';

/** Beyond this many bytes that wait to be sent, the writer has to wait too. */
const highWaterBytes = 256 * 1024;
/**
 * Pieces from this size on are sent as they are: to copy them would cost more than a write of their own. Who wrote one may change it when
 * it has been taken; smaller ones are still looked at then.
 */
export const writtenAtOnceBytes = 64 * 1024;

/** From this size on answers are gathered in buffers that are used again, which are several times larger. */
const scratchFrom = 32 * 1024;

interface Piece {
  readonly chunk: string | Buffer;
  readonly encoding: BufferEncoding;
}

type Callback = (error?: Error | null) => void;

/**
 * A connection on which many requests are under way at once: what is written to it in one turn of the event loop leaves in one write,
 * as few TLS records. Node's HTTP server answers pipelined requests one behind the other, each when the bytes of the one before have
 * been taken; here they are taken at once.
 */
export class CoalescedSocket extends Duplex {
  readonly #socket: Socket;
  readonly encrypted = true;
  #waiting: Piece[] = [];
  #bytes = 0;
  #scheduled = false;
  #blocked: Callback | undefined;

  constructor(socket: Socket) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.once('end', () => this.push(null));
    socket.on('error', (error: Error) => this.destroy(error));
    socket.once('close', () => this.destroy());
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('drain', () => this.#unblock());
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  getPeerX509Certificate(): ReturnType<TLSSocket['getPeerX509Certificate']> {
    return this.#socket instanceof TLSSocket ? this.#socket.getPeerX509Certificate() : undefined;
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    this.#socket.setTimeout(milliseconds);
    if (listener !== undefined) this.once('timeout', listener);
    return this;
  }

  setNoDelay(on?: boolean): this {
    this.#socket.setNoDelay(on);
    return this;
  }

  setKeepAlive(on?: boolean, initialDelay?: number): this {
    this.#socket.setKeepAlive(on, initialDelay);
    return this;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: string | Buffer, encoding: BufferEncoding, callback: Callback): void {
    if (typeof chunk !== 'string' && chunk.length >= writtenAtOnceBytes) {
      this.#flush();
      this.#socket.write(chunk, callback);
      return;
    }
    this.#add({ chunk, encoding });
    this.#taken(callback);
  }

  override _writev(pieces: readonly Piece[], callback: Callback): void {
    for (const piece of pieces) this.#add(piece);
    this.#taken(callback);
  }

  #add(piece: Piece): void {
    const { chunk, encoding } = piece;
    const length = typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length;
    if (length === 0) return;
    if (typeof chunk !== 'string' && length >= writtenAtOnceBytes) {
      this.#flush();
      this.#socket.write(chunk);
      return;
    }
    this.#waiting.push(piece);
    this.#bytes += length;
  }

  #taken(callback: Callback): void {
    if (this.#bytes >= highWaterBytes) this.#flush();
    else if (this.#bytes > 0 && !this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#flush();
      });
    }
    if (this.#socket.writableNeedDrain) this.#blocked = callback;
    else callback();
  }

  #flush(): void {
    if (this.#bytes === 0) return;
    const scratch = this.#bytes >= scratchFrom && this.#bytes <= scratchBytes ? takeScratch() : undefined;
    const all = scratch ?? Buffer.allocUnsafe(this.#bytes);
    let at = 0;
    for (const { chunk, encoding } of this.#waiting) {
      at += typeof chunk === 'string' ? all.write(chunk, at, encoding) : chunk.copy(all, at);
    }
    this.#waiting = [];
    this.#bytes = 0;
    if (this.#socket.destroyed) return;
    if (scratch === undefined) this.#socket.write(all);
    else this.#socket.write(scratch.subarray(0, at), () => returnScratch(scratch));
  }

  #unblock(): void {
    const callback = this.#blocked;
    this.#blocked = undefined;
    callback?.();
  }

  override _final(callback: Callback): void {
    this.#flush();
    this.#socket.end(() => callback());
  }

  /** What was written before is still sent, as a socket sends what the system has taken. */
  override _destroy(error: Error | null, callback: Callback): void {
    if (error === null) this.#flush();
    this.#unblock();
    if (error === null) this.#socket.destroySoon();
    else this.#socket.destroy();
    callback(error);
  }
}
