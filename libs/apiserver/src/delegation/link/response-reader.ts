/** A whole response of the next server. */
export interface LinkResponse {
  readonly status: number;
  /** Flat list of names and values as they came, without those that concern the connection. */
  readonly headers: string[];
  readonly body: Buffer;
  /** False = the other side closes the connection behind this response. */
  readonly keepAlive: boolean;
}

/** Told of one response after the other, each in parts as they come. */
export interface ResponseReceiver {
  onHead(head: ResponseHead): void;
  /** Bytes of the body, valid only as long as the call lasts. */
  onData(bytes: Buffer): void;
  onEnd(): void;
}

export interface ResponseHead {
  readonly status: number;
  /** Flat list of names and values as they came, without those that concern the connection. */
  readonly headers: string[];
  /** False = the other side closes the connection behind this response. */
  readonly keepAlive: boolean;
  /** Bytes of the body, where the response says it. */
  readonly length: number | undefined;
}

interface Head extends ResponseHead {
  readonly chunked: boolean;
}

type State = 'head' | 'body' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailer' | 'until-close';

const maxHeadBytes = 1 << 20;
const maxLineBytes = 1 << 16;
const endOfHead = Buffer.from('\r\n\r\n');
const endOfLine = Buffer.from('\r\n');
const nothing = Buffer.alloc(0);

/** What a connection says that is no HTTP/1.1 response. */
export class LinkProtocolError extends Error {}

/**
 * Reads the responses to GET, POST, PUT, PATCH and DELETE off one HTTP/1.1 connection, one behind the other (RFC 9112). The
 * bytes it is given are not looked at any more when it returns. A reader that threw must not be used any more.
 */
export class ResponseReader {
  readonly #receiver: ResponseReceiver;
  #state: State = 'head';
  /** What is left of earlier chunks, too short to be understood. */
  #rest: Buffer = nothing;
  #bytesLeft = 0;

  constructor(receiver: ResponseReceiver) {
    this.#receiver = receiver;
  }

  /** Throws LinkProtocolError. */
  read(received: Buffer): void {
    const chunk = this.#rest.length === 0 ? received : Buffer.concat([this.#rest, received]);
    this.#rest = nothing;
    let at = 0;
    while (at < chunk.length) {
      const next = this.#step(chunk, at);
      if (next < 0) {
        this.#rest = Buffer.from(chunk.subarray(at));
        return;
      }
      at = next;
    }
  }

  /** The connection has ended: completes a response that lasts as long as its connection. */
  end(): void {
    if (this.#state === 'until-close') this.#finish();
  }

  /** Takes what it can from position `at` on; returns where it stopped, -1 = more bytes are needed. */
  #step(chunk: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(chunk, at);
      case 'body':
      case 'chunk-data':
        return this.#take(chunk, at);
      case 'until-close':
        this.#receiver.onData(chunk.subarray(at));
        return chunk.length;
      default:
        return this.#readLine(chunk, at);
    }
  }

  #readHead(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(endOfHead, at);
    if (end < 0) {
      if (chunk.length - at > maxHeadBytes) throw new LinkProtocolError('response headers are too long');
      return -1;
    }
    const head = parseHead(chunk.toString('latin1', at, end));
    // 100 Continue and its like announce the real response.
    if (head.status >= 200) this.#begin(head);
    return end + endOfHead.length;
  }

  #begin(head: Head): void {
    this.#receiver.onHead(head);
    if (head.chunked) this.#state = 'chunk-size';
    else if (head.length === undefined) this.#state = 'until-close';
    else if (head.length === 0) this.#finish();
    else {
      this.#bytesLeft = head.length;
      this.#state = 'body';
    }
  }

  #take(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#bytesLeft);
    this.#receiver.onData(chunk.subarray(at, end));
    this.#bytesLeft -= end - at;
    if (this.#bytesLeft === 0) {
      if (this.#state === 'body') this.#finish();
      else this.#state = 'chunk-end';
    }
    return end;
  }

  /** The lines between the chunks of a chunked body. */
  #readLine(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(endOfLine, at);
    if (end < 0) {
      if (chunk.length - at > maxLineBytes) throw new LinkProtocolError('a line of a chunked body is too long');
      return -1;
    }
    const line = chunk.toString('latin1', at, end);
    if (this.#state === 'chunk-end') {
      if (line !== '') throw new LinkProtocolError('a chunk is longer than it says');
      this.#state = 'chunk-size';
    } else if (this.#state === 'chunk-size') {
      this.#bytesLeft = chunkSize(line);
      this.#state = this.#bytesLeft === 0 ? 'trailer' : 'chunk-data';
    } else if (line === '') this.#finish();
    return end + endOfLine.length;
  }

  #finish(): void {
    this.#state = 'head';
    this.#receiver.onEnd();
  }
}

function chunkSize(line: string): number {
  const digits = /^([0-9a-fA-F]{1,8})[ \t]*(?:;|$)/.exec(line)?.[1];
  if (digits === undefined) throw new LinkProtocolError('the size of a chunk is no number');
  return parseInt(digits, 16);
}

const statusLine = /^HTTP\/1\.([01]) ([1-5][0-9]{2})(?: |$)/;
const closing = /(?:^|,)\s*close\s*(?:,|$)/;
const digitsOnly = /^[0-9]{1,15}$/;

/** The lengths of header names that are looked at, so that all others cost a comparison of numbers. */
const lookedAt = new Map<number, readonly string[]>([
  [7, ['upgrade']],
  [10, ['connection', 'keep-alive']],
  [14, ['content-length']],
  [17, ['transfer-encoding']],
]);

function parseHead(text: string): Head {
  const lines = text.split('\r\n');
  const status = statusLine.exec(lines[0] ?? '');
  if (status === null) throw new LinkProtocolError('this is not a response of HTTP/1.1');
  const headers: string[] = [];
  const own = { connection: '', length: undefined as number | undefined, encoding: '' };
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const colon = line.indexOf(':');
    if (colon < 1) throw new LinkProtocolError('a response header has no name');
    const value = line.slice(colon + 1).trim();
    const name = line.slice(0, colon);
    const lower = lookedAt.has(colon) ? name.toLowerCase() : '';
    if (lower === 'connection') own.connection = value.toLowerCase();
    else if (lower === 'transfer-encoding') own.encoding = value.toLowerCase();
    else if (lower === 'content-length') own.length = contentLength(value, own.length);
    if (lookedAt.get(colon)?.includes(lower) !== true || lower === 'content-length') headers.push(name, value);
  }
  return framing(Number(status[2]), status[1] === '1', headers, own);
}

function contentLength(value: string, before: number | undefined): number {
  const length = digitsOnly.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(length) || (before !== undefined && before !== length)) {
    throw new LinkProtocolError('the Content-Length of a response is no number');
  }
  return length;
}

/** How long the body is: RFC 9112, 6.3. */
function framing(
  status: number,
  keptByDefault: boolean,
  headers: string[],
  { connection, length, encoding }: { connection: string; length: number | undefined; encoding: string },
): Head {
  const chunked = encoding === 'chunked';
  if (encoding !== '' && (!chunked || length !== undefined)) {
    throw new LinkProtocolError('the Transfer-Encoding of a response is not understood');
  }
  const keepAlive = keptByDefault && !closing.test(connection);
  if (status < 200 || status === 204 || status === 304)
    return { status, headers, keepAlive, length: 0, chunked: false };
  return { status, headers, keepAlive: keepAlive && (chunked || length !== undefined), length, chunked };
}
