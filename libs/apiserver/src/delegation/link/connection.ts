import net from 'node:net';
import tls from 'node:tls';
import { ResponseReader, type ResponseHead } from './response-reader.ts';
import { WholeResponses, type LinkResponse } from './whole-response.ts';

/** Where the next server is, and who we are there. */
export interface LinkEndpoint {
  /** Unix socket; then host and port do not matter, and there is no TLS. */
  readonly socketPath?: string;
  readonly host: string;
  readonly port: number;
  /** Undefined = without TLS. One context for all connections: to read the certificates takes longer than a handshake. */
  readonly tls?: { readonly secureContext: tls.SecureContext; readonly servername: string };
  /** Milliseconds that opening a connection may take. */
  readonly connectTimeoutMs: number;
}

/** Takes an answer in parts as they come. */
export interface LinkStream {
  onHead(head: ResponseHead): void;
  /** Bytes of the body, valid only as long as the call lasts. */
  onData(bytes: Buffer): void;
}

/** One request on a connection. Exactly one of the two callbacks is called, unless it was cancelled before. */
export interface LinkExchange {
  /** Request line and headers with the empty line behind them, in Latin-1. */
  readonly head: string;
  readonly body: Buffer | undefined;
  /** Takes the answer's head and body; `onResponse` is then called behind them, with an empty body. */
  readonly stream?: LinkStream;
  onResponse(response: LinkResponse): void;
  /** `mayHaveArrived` false = the next server has seen nothing of the request. */
  onFailure(error: Error, mayHaveArrived: boolean): void;
}

interface Pending {
  readonly exchange: LinkExchange;
  readonly since: number;
  sent: boolean;
  cancelled: boolean;
}

/** Where all connections read to, one after the other: what is in it has been looked at, or copied, before anybody reads again. */
const readBuffer = Buffer.allocUnsafeSlow(128 * 1024);
/** Bodies up to this size are written in one piece with their headers. */
const maxJoinedBytes = 16 * 1024;
/** Behind a request that nobody waits for any more and that takes longer than this, nothing is queued. */
const patienceMs = 1_000;

/**
 * One HTTP/1.1 connection to the next server: requests may be sent before the answers to earlier ones are in, and those that are made in
 * one turn of the event loop leave in one write.
 */
export class LinkConnection {
  readonly #socket: net.Socket;
  readonly #whole = new WholeResponses((response) => this.#answered(response));
  /** Of the answer that is being read, when it is taken in parts. */
  #stream: LinkStream | undefined;
  readonly #reader = new ResponseReader({
    onHead: (head) => {
      const [pending] = this.#pending;
      if (pending?.sent !== true) throw new Error('a response came without a request');
      this.#stream = pending.cancelled ? undefined : pending.exchange.stream;
      // Its parts go elsewhere: what is put together has no body.
      this.#whole.onHead(this.#stream === undefined ? head : { ...head, length: 0 });
      this.#stream?.onHead(head);
    },
    onData: (bytes) => (this.#stream ?? this.#whole).onData(bytes),
    onEnd: () => this.#whole.onEnd(),
  });
  readonly #pending: Pending[] = [];
  #outgoing: Pending[] = [];
  #flushing = false;
  #connected = false;
  #retired = false;
  #paused = false;
  /** Milliseconds since the epoch: when the last answer came. */
  idleSince = Date.now();

  /** `onClose` is told once, when the connection is closed. */
  constructor(endpoint: LinkEndpoint, onClose: (connection: LinkConnection) => void) {
    const { connectTimeoutMs } = endpoint;
    const socket = connect(endpoint, (chunk) => this.#received(chunk));
    this.#socket = socket;
    socket.setNoDelay(true);
    const tooLong = setTimeout(() => socket.destroy(new Error('connecting took too long')), connectTimeoutMs);
    socket.once(endpoint.tls === undefined ? 'connect' : 'secureConnect', () => {
      clearTimeout(tooLong);
      this.#connected = true;
      this.#flush();
    });
    socket.once('end', () => this.#reader.end());
    let reason = new Error('other side closed');
    socket.on('error', (error) => (reason = error));
    socket.once('close', () => {
      clearTimeout(tooLong);
      onClose(this);
      this.#fail(reason);
    });
  }

  /** Requests whose answers are still to come. */
  get depth(): number {
    return this.#pending.length;
  }

  /** False = send no more requests here. */
  get usable(): boolean {
    return !this.#retired && !this.#socket.destroyed && !this.#socket.readableEnded;
  }

  /** Whether a request may be queued behind those that wait here already, of which the first should not be older than `since`. */
  accepts(maxDepth: number, since: number): boolean {
    const [first] = this.#pending;
    return this.usable && this.#pending.length < maxDepth && (first === undefined || first.since >= since);
  }

  /** Returns what cancels the request: then neither callback is called any more. */
  send(exchange: LinkExchange): () => void {
    const pending: Pending = { exchange, since: Date.now(), sent: false, cancelled: false };
    this.#pending.push(pending);
    this.#outgoing.push(pending);
    if (this.#connected && !this.#flushing) {
      this.#flushing = true;
      setImmediate(() => this.#flush());
    }
    return () => {
      pending.cancelled = true;
      if (Date.now() - pending.since > patienceMs) this.#retired = true;
      if (this.#retired && this.#pending.every((other) => other.cancelled)) this.#socket.destroy();
    };
  }

  #flush(): void {
    this.#flushing = false;
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    const parts: (string | Buffer)[] = [];
    let text = '';
    for (const pending of outgoing) {
      pending.sent = true;
      const { head, body } = pending.exchange;
      text += head;
      if (body === undefined) continue;
      if (body.length <= maxJoinedBytes) text += body.toString('latin1');
      else {
        parts.push(text, body);
        text = '';
      }
    }
    if (text !== '') parts.push(text);
    if (parts.length > 1) this.#socket.cork();
    for (const part of parts) {
      if (typeof part === 'string') this.#socket.write(part, 'latin1');
      else this.#socket.write(part);
    }
    if (parts.length > 1) this.#socket.uncork();
  }

  #received(chunk: Buffer): void {
    try {
      this.#reader.read(chunk);
    } catch (error) {
      this.#socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #answered(response: LinkResponse): void {
    const pending = this.#pending.shift();
    if (pending === undefined) return;
    this.#stream = undefined;
    this.resume();
    this.idleSince = Date.now();
    if (!response.keepAlive) {
      this.#retired = true;
      this.#socket.destroy();
    } else if (this.#retired && this.#pending.length === 0) this.#socket.destroy();
    if (!pending.cancelled) pending.exchange.onResponse(response);
  }

  #fail(reason: Error): void {
    this.#retired = true;
    for (const { cancelled, sent, exchange } of this.#pending.splice(0)) {
      if (!cancelled) exchange.onFailure(reason, sent);
    }
  }

  /** Reads no more until `resume`; what has been read already still comes. */
  pause(): void {
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#socket.resume();
  }

  /** Closes once every answer is in. */
  retire(): void {
    this.#retired = true;
    if (this.#pending.length === 0) this.#socket.destroy();
  }

  destroy(reason?: Error): void {
    this.#socket.destroy(reason);
  }
}

/** What is received is valid only as long as the call lasts. */
function connect(endpoint: LinkEndpoint, received: (chunk: Buffer) => void): net.Socket {
  const { socketPath, host, port, tls: secured } = endpoint;
  if (secured !== undefined && socketPath === undefined) {
    return tls.connect({ ...secured, host, port, ALPNProtocols: ['http/1.1'] }).on('data', received);
  }
  const onread = {
    buffer: readBuffer,
    callback: (length: number) => {
      received(readBuffer.subarray(0, length));
      return true;
    },
  };
  return net.connect({ ...(socketPath === undefined ? { host, port } : { path: socketPath }), onread });
}
