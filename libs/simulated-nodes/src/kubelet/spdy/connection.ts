import { Duplex } from 'node:stream';
import { HeaderReader, type Headers, HeaderWriter } from './headers.ts';

/** The types of control frames that matter here. The others, such as settings and window sizes, are passed over, as clients of Kubernetes do. */
const frameTypes = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const fin = 1;
const maxFrame = 1 << 20;

/** A stream that the client has opened. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Headers;
  readonly #send: (flags: number, data: Buffer, written: () => void) => void;

  constructor(id: number, headers: Headers, send: (flags: number, data: Buffer, written: () => void) => void) {
    super();
    this.id = id;
    this.headers = headers;
    this.#send = send;
  }

  override _read(): void {
    // Data arrives when the client sends it.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send(0, chunk, done);
  }

  override _final(done: () => void): void {
    this.#send(fin, Buffer.alloc(0), done);
  }
}

/** The server side of a SPDY/3.1 connection: https://www.chromium.org/spdy/spdy-protocol/spdy-protocol-draft3-1/ */
export class SpdyConnection {
  readonly #transport: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #reader = new HeaderReader();
  readonly #writer = new HeaderWriter();

  /** `onStream` is called for each stream of the client, after it has been accepted. */
  constructor(transport: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#transport = transport;
    this.#onStream = onStream;
    transport.on('error', () => this.close());
    transport.on('close', () => this.close());
  }

  /** Reads frames until the connection ends. */
  async run(): Promise<void> {
    let buffered: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of this.#transport as AsyncIterable<Buffer>) {
        buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
        while (buffered.length >= 8) {
          const length = buffered.readUIntBE(5, 3);
          if (length > maxFrame) throw new Error('a frame is too long');
          if (buffered.length < 8 + length) break;
          await this.#take(buffered.subarray(0, 8), buffered.subarray(8, 8 + length));
          buffered = buffered.subarray(8 + length);
        }
      }
    } catch {
      // The client has gone away, or does not speak the protocol. The connection is all there is to end.
      this.#transport.destroy();
    }
    this.close();
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.destroy();
    this.#streams.clear();
    this.#reader.close();
    this.#writer.close();
    if (!this.#transport.destroyed) this.#transport.end();
  }

  async #take(head: Buffer, payload: Buffer): Promise<void> {
    const flags = head.readUInt8(4);
    if ((head.readUInt8(0) & 0x80) === 0) return this.#data(head.readUInt32BE(0) & 0x7fffffff, flags, payload);
    switch (head.readUInt16BE(2)) {
      case frameTypes.synStream:
        return this.#open(payload, flags);
      case frameTypes.rstStream: {
        const id = payload.readUInt32BE(0) & 0x7fffffff;
        this.#streams.get(id)?.destroy();
        this.#streams.delete(id);
        return;
      }
      case frameTypes.ping:
        this.#transport.write(control(frameTypes.ping, 0, payload));
        return;
      case frameTypes.goAway:
        this.#transport.end();
        return;
    }
  }

  async #open(payload: Buffer, flags: number): Promise<void> {
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    const headers = await this.#reader.read(payload.subarray(10));
    const stream = new SpdyStream(id, headers, (sent, data, written) => this.#send(id, sent, data, written));
    stream.on('close', () => this.#streams.delete(id));
    stream.on('error', () => this.#streams.delete(id));
    this.#streams.set(id, stream);
    const reply = Buffer.alloc(4);
    reply.writeUInt32BE(id);
    this.#transport.write(control(frameTypes.synReply, 0, Buffer.concat([reply, await this.#writer.empty()])));
    if ((flags & fin) !== 0) stream.push(null);
    this.#onStream(stream);
  }

  #data(id: number, flags: number, payload: Buffer): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    // The frame is a part of a buffer that is used again.
    if (payload.length > 0) stream.push(Buffer.from(payload));
    if ((flags & fin) !== 0) stream.push(null);
  }

  #send(id: number, flags: number, data: Buffer, written: () => void): void {
    if (this.#transport.destroyed || this.#transport.writableEnded) return written();
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id);
    head.writeUInt8(flags, 4);
    head.writeUIntBE(data.length, 5, 3);
    this.#transport.write(Buffer.concat([head, data]), () => written());
  }
}

function control(type: number, flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8003);
  head.writeUInt16BE(type, 2);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}
