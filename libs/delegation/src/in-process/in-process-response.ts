import { Duplex } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** The status and headers of a response. */
interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** A body that nobody reads stops its server when it has so many bytes. */
const highWaterMark = 64 * 1024;

/** The error of a client whose server has ended the connection. */
export const connectionReset = (): Error => Object.assign(new Error('aborted'), { code: 'ECONNRESET' });

/** The body of a response, which one client reads while the server writes it. */
export class InProcessResponseBody implements AsyncIterable<Buffer> {
  readonly #destroy: (reason: Error) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  #isEnded = false;
  #isDumped = false;
  #failure: Error | undefined;
  /** Continues the reader. */
  #wake: (() => void) | undefined;
  /** Continues the server. */
  #taken: (() => void) | undefined;

  /** `destroy` is called when the client does not want the rest. */
  constructor(destroy: (reason: Error) => void) {
    this.#destroy = destroy;
  }

  /** Whether the body is whole. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Adds a copy of the bytes: the server may use their buffer again once `taken` has been called, which says that more may be written. */
  write(bytes: Buffer, taken: () => void): void {
    if (!this.#isDumped) {
      this.#chunks.push(Buffer.from(bytes));
      this.#length += bytes.length;
    }
    this.#wake?.();
    if (this.#length < highWaterMark) taken();
    else this.#taken = taken;
  }

  /** The body is whole. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** The body ends before it is whole. What has been written can be read no more, as from a broken connection. */
  fail(error: Error): void {
    this.#failure = error;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure;
        const chunks = this.#take();
        if (chunks.length > 0) yield* chunks;
        else if (this.#isEnded) return;
        else await this.#change();
      }
    } finally {
      if (!this.#isEnded) this.#destroy(connectionReset());
    }
  }

  /** Discards the rest. */
  async dump(): Promise<void> {
    this.#isDumped = true;
    this.#take();
  }

  #take(): readonly Buffer[] {
    const chunks = this.#chunks;
    const taken = this.#taken;
    this.#chunks = [];
    this.#length = 0;
    this.#taken = undefined;
    taken?.();
    return chunks;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

const endOfHead = '\r\n\r\n';

/** Takes the place of a connection: reads the head that a response writes, and gives the rest to the body. The response must not be chunked. */
export class InProcessResponseSocket extends Duplex {
  readonly #body: InProcessResponseBody;
  readonly #onHead: (head: ResponseHead) => void;
  /** What has been written of the head; undefined when it was complete. */
  #head: Buffer | undefined = Buffer.alloc(0);

  constructor(body: InProcessResponseBody, onHead: (head: ResponseHead) => void) {
    super();
    this.#body = body;
    this.#onHead = onHead;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    if (this.#head === undefined) return this.#body.write(bytes, callback);
    const read = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    const end = read.indexOf(endOfHead);
    if (end < 0) {
      this.#head = read;
      return callback();
    }
    this.#head = undefined;
    this.#onHead(headOf(read.toString('latin1', 0, end)));
    const rest = read.subarray(end + endOfHead.length);
    if (rest.length === 0) return callback();
    this.#body.write(rest, callback);
  }
}

/** The stream for a message of Node, which uses no more of a socket than a stream has. */
export const asSocket = (stream: Duplex): Socket => stream as Socket;

/** Reads a head that Node has written: a status line, and a header in each further line. */
function headOf(text: string): ResponseHead {
  const [status = '', ...lines] = text.split('\r\n');
  const headers: IncomingHttpHeaders = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 2);
    const before = headers[name];
    if (name === 'set-cookie') headers[name] = [...(headers[name] ?? []), value];
    else headers[name] = before === undefined ? value : `${String(before)}, ${value}`;
  }
  return { status: Number(status.split(' ')[1]), headers };
}
