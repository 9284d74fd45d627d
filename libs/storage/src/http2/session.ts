import type { Socket } from 'node:net';
import {
  contentOf,
  defaultMaxFrameSize,
  errorCode,
  flag,
  frame,
  FrameReader,
  frameType,
  setting,
  settingsFrame,
  uint32Frame,
  type Frame,
} from './frames.ts';
import { HeaderDecoder, HeaderEncoder, type Header } from './hpack.ts';
import { Http2Stream, StreamError, type Answer } from './stream.ts';

export interface StreamRequest {
  /** All of them, pseudo-headers first. The same list for the same headers, so that they are encoded once. */
  readonly headers: readonly Header[];
  /** At least a byte. */
  readonly body: Buffer;
  /** Milliseconds until the request is given up. */
  readonly timeout: number;
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** What may be on its way to us: pages of large lists should not wait for the round trips of flow control. */
const streamWindow = 4 * 1024 * 1024;
const sessionWindow = 16 * 1024 * 1024;
const defaultWindow = 65_535;
const tableSize = 4_096;
const lastStreamId = 0x7fffffff;
/** Answers of gRPC have a dozen short headers. */
const maxHeaderBlock = 1024 * 1024;

const newest = (headers: readonly Header[]): ReadonlyMap<string, string> => new Map(headers);

/**
 * The client's side of an HTTP/2 connection, for short requests whose answers are wanted whole. It costs a fraction of the
 * platform's, which makes a pair of streams of every request. What is sent in one turn of the event loop goes out in one write.
 * https://www.rfc-editor.org/rfc/rfc9113
 */
export class Http2Session {
  readonly #socket: Socket;
  readonly #frames = new FrameReader();
  readonly #decoder = new HeaderDecoder();
  readonly #encoder = new HeaderEncoder();
  readonly #streams = new Map<number, Http2Stream>();
  /** Requests beyond what the peer takes at a time. */
  readonly #waiting: Http2Stream[] = [];
  /** Streams with a body that waits for the peer to make room. */
  readonly #blocked = new Set<Http2Stream>();
  readonly #pings: (() => void)[] = [];
  #out: Buffer[] = [];
  #nextId = 1;
  #maxStreams = Infinity;
  #maxFrameSize = defaultMaxFrameSize;
  #sendWindow = defaultWindow;
  #streamSendWindow = defaultWindow;
  #received = 0;
  /** A header block of which frames are missing. */
  #block: { readonly stream: number; readonly ends: boolean; parts: Buffer } | undefined;
  #isEnding = false;
  #failure: Error | undefined;
  /** Called once when no further request can be made here. */
  onEnding: () => void = () => undefined;

  /** `socket` is connected, or about to be. */
  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.on('close', () => this.#closed());
    const settings = settingsFrame([
      [setting.enablePush, 0],
      [setting.initialWindowSize, streamWindow],
    ]);
    this.#send(
      Buffer.concat([preface, settings, uint32Frame(frameType.windowUpdate, 0, sessionWindow - defaultWindow)]),
    );
    this.#refer();
  }

  get isUsable(): boolean {
    return !this.#isEnding && !this.#socket.destroyed;
  }

  /** Rejects with StreamError. */
  request(request: StreamRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = new Http2Stream(request, resolve, reject);
      if (!this.isUsable) return stream.fail(new StreamError('refused', 'the connection is closed'));
      stream.timer = setTimeout(() => this.#giveUp(stream), request.timeout);
      if (this.#streams.size >= this.#maxStreams) this.#waiting.push(stream);
      else this.#open(stream);
    });
  }

  /** Calls back when the peer has answered. */
  ping(answered: () => void): void {
    this.#pings.push(answered);
    this.#send(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
  }

  destroy(cause?: Error): void {
    this.#failure ??= cause;
    this.#end();
    this.#socket.destroy();
  }

  #open(stream: Http2Stream): void {
    stream.id = this.#nextId;
    stream.sendWindow = this.#streamSendWindow;
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    this.#refer();
    this.#send(frame(frameType.headers, flag.endHeaders, stream.id, this.#encoder.encode(stream.request.headers)));
    this.#sendBody(stream);
    if (this.#nextId > lastStreamId) this.#end();
  }

  #sendBody(stream: Http2Stream): void {
    const { body } = stream.request;
    while (stream.sent < body.length) {
      const room = Math.min(this.#maxFrameSize, this.#sendWindow, stream.sendWindow);
      if (room <= 0) {
        this.#blocked.add(stream);
        return;
      }
      const part = body.subarray(stream.sent, stream.sent + room);
      stream.sent += part.length;
      stream.sendWindow -= part.length;
      this.#sendWindow -= part.length;
      this.#send(frame(frameType.data, stream.sent === body.length ? flag.endStream : 0, stream.id, part));
    }
    this.#blocked.delete(stream);
  }

  #sendBlocked(): void {
    for (const stream of this.#blocked) this.#sendBody(stream);
  }

  #send(bytes: Buffer): void {
    if (this.#out.length === 0) setImmediate(() => this.#flush());
    this.#out.push(bytes);
  }

  #flush(): void {
    const out = this.#out;
    this.#out = [];
    const [first] = out;
    if (first !== undefined && !this.#socket.destroyed)
      this.#socket.write(out.length === 1 ? first : Buffer.concat(out));
  }

  /** An idle connection does not keep the process alive. */
  #refer(): void {
    if (this.#streams.size > 0) this.#socket.ref();
    else this.#socket.unref();
  }

  #giveUp(stream: Http2Stream): void {
    const error = new StreamError('timeout', 'timed out');
    if (stream.id === 0) {
      this.#waiting.splice(this.#waiting.indexOf(stream), 1);
      stream.fail(error);
      return;
    }
    this.#send(uint32Frame(frameType.reset, stream.id, errorCode.cancel));
    this.#close(stream, error);
  }

  /** The stream is over: with an answer, or else with `error`. */
  #close(stream: Http2Stream, error?: StreamError): void {
    this.#streams.delete(stream.id);
    this.#blocked.delete(stream);
    if (error === undefined) {
      // The answer came before the request was complete: the rest of it is not wanted.
      if (stream.sent < stream.request.body.length)
        this.#send(uint32Frame(frameType.reset, stream.id, errorCode.noError));
      stream.succeed();
    } else stream.fail(error);
    if (this.#isEnding) {
      if (this.#streams.size === 0) this.#socket.end();
    } else this.#openWaiting();
    if (this.#streams.size === 0) this.#refer();
  }

  #openWaiting(): void {
    while (this.#streams.size < this.#maxStreams) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#open(next);
    }
  }

  /** Takes no more requests; those under way go on. */
  #end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    for (const stream of this.#waiting.splice(0)) stream.fail(new StreamError('refused', 'the connection is ending'));
    this.onEnding();
  }

  #closed(): void {
    this.#end();
    const cause = this.#failure?.message ?? 'the connection was closed';
    for (const stream of this.#streams.values()) stream.fail(new StreamError('cut off', cause));
    this.#streams.clear();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const arrived of this.#frames.read(chunk)) this.#handle(arrived);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #handle(arrived: Frame): void {
    switch (arrived.type) {
      case frameType.data:
        return this.#data(arrived);
      case frameType.headers:
        return this.#headers(arrived);
      case frameType.continuation:
        return this.#continuation(arrived);
      case frameType.reset:
        return this.#reset(arrived);
      case frameType.settings:
        return this.#settings(arrived);
      case frameType.ping:
        return this.#ping(arrived);
      case frameType.goAway:
        return this.#goAway(arrived);
      case frameType.windowUpdate:
        return this.#windowUpdate(arrived);
      case frameType.pushPromise:
        throw new Error('a push that was not allowed');
    }
  }

  #data(arrived: Frame): void {
    const { length } = arrived.payload;
    this.#received += length;
    if (this.#received > sessionWindow / 2) {
      this.#send(uint32Frame(frameType.windowUpdate, 0, this.#received));
      this.#received = 0;
    }
    const stream = this.#streams.get(arrived.stream);
    if (stream === undefined) return;
    stream.body.push(contentOf(arrived));
    if ((arrived.flags & flag.endStream) !== 0) return this.#close(stream);
    stream.received += length;
    if (stream.received > streamWindow / 2) {
      this.#send(uint32Frame(frameType.windowUpdate, stream.id, stream.received));
      stream.received = 0;
    }
  }

  #headers(arrived: Frame): void {
    const ends = (arrived.flags & flag.endStream) !== 0;
    const block = contentOf(arrived);
    if ((arrived.flags & flag.endHeaders) !== 0) this.#block = undefined;
    else this.#block = { stream: arrived.stream, ends, parts: block };
    if (this.#block === undefined) this.#answered(arrived.stream, ends, block);
  }

  #continuation(arrived: Frame): void {
    const block = this.#block;
    if (block?.stream !== arrived.stream) throw new Error('a header block that nothing begins');
    block.parts = Buffer.concat([block.parts, arrived.payload]);
    if (block.parts.length > maxHeaderBlock) throw new Error('a header block is too large');
    if ((arrived.flags & flag.endHeaders) === 0) return;
    this.#block = undefined;
    this.#answered(block.stream, block.ends, block.parts);
  }

  /** Every block is read, whoever it is for: those after it build on it. */
  #answered(id: number, ends: boolean, block: Buffer): void {
    const headers = newest(this.#decoder.decode(block));
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    // 100 and its like announce another answer.
    const isInterim = headers.get(':status')?.startsWith('1') === true;
    if (!isInterim) stream.take(headers);
    if (ends) this.#close(stream);
  }

  #reset({ stream: id, payload }: Frame): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const code = payload.readUInt32BE(0);
    if (code === errorCode.refusedStream) this.#close(stream, new StreamError('refused', 'the stream was refused'));
    else this.#close(stream, new StreamError('cut off', `the stream was reset with code ${String(code)}`));
  }

  #settings({ flags, payload }: Frame): void {
    if ((flags & flag.ack) !== 0) return;
    for (let at = 0; at + 6 <= payload.length; at += 6)
      this.#set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#send(frame(frameType.settings, flag.ack, 0, Buffer.alloc(0)));
    this.#sendBlocked();
    this.#openWaiting();
  }

  #set(id: number, value: number): void {
    if (id === setting.maxConcurrentStreams) this.#maxStreams = value;
    else if (id === setting.maxFrameSize) this.#maxFrameSize = value;
    else if (id === setting.headerTableSize && value < tableSize) this.#encoder.keepNothing();
    else if (id === setting.initialWindowSize) {
      for (const stream of this.#streams.values()) stream.sendWindow += value - this.#streamSendWindow;
      this.#streamSendWindow = value;
    }
  }

  #ping({ flags, payload }: Frame): void {
    if ((flags & flag.ack) === 0) this.#send(frame(frameType.ping, flag.ack, 0, payload));
    else this.#pings.shift()?.();
  }

  #goAway({ payload }: Frame): void {
    const last = payload.readUInt32BE(0) & 0x7fffffff;
    this.#end();
    for (const stream of [...this.#streams.values()]) {
      if (stream.id > last) this.#close(stream, new StreamError('refused', 'the connection is ending'));
    }
    if (this.#streams.size === 0) this.#socket.end();
  }

  #windowUpdate({ stream: id, payload }: Frame): void {
    const room = payload.readUInt32BE(0) & 0x7fffffff;
    const stream = this.#streams.get(id);
    if (id === 0) {
      this.#sendWindow += room;
      this.#sendBlocked();
    } else if (stream !== undefined) {
      stream.sendWindow += room;
      if (this.#blocked.has(stream)) this.#sendBody(stream);
    }
  }
}
