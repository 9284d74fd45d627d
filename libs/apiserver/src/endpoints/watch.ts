import type { ServerResponse } from 'node:http';
import { parseJson, StatusError, stringifyJson, type KubeObject } from '@apichain/meta';
import { encodeCborWatchEvent } from '@apichain/scheme';
import type { StoredObject, WatchEvent, WatchStream } from '@apichain/storage';
import { negotiateOutput, requireStream, type OutputMediaType } from '@apichain/request';
import { cborSequenceMediaType } from '@apichain/request';
import { notAList, partialMetadata } from '../negotiation/representation.ts';
import { unstoredObject } from '../negotiation/result-document.ts';
import { readIncludeObject, tableJson, type TableRequest } from '../negotiation/table.ts';
import { findScope } from '@apichain/request';
import type { ListOptions, Watcher } from '../registry/rest.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';
import { serveWebSocket, wantsWebSocket } from './watch-web-socket.ts';

/** setTimeout takes no more than this. */
const maxTimer = 2 ** 31 - 1;
const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * Milliseconds until the server ends the watch: what the client asks for (less than nothing is at once), or a random time
 * that spreads the reconnects.
 */
function watchTimeout(options: ListOptions, minRequestTimeout: number): number {
  const { timeoutSeconds = 0 } = options;
  if (timeoutSeconds !== 0) return timeoutSeconds * 1000;
  return minRequestTimeout * 1000 * (1 + Math.random());
}

/** `bytes` apart from Node's pool, all of which they would keep for as long as their event is remembered. */
function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

/** Makes the frames of one watch; JSON frames without a Table are kept with the event and shared. */
class FrameEncoder {
  readonly #scope: EndpointScope;
  readonly #output: OutputMediaType;
  readonly #table: TableRequest | undefined;
  readonly #shared: string;
  #columnsSent = false;

  constructor(scope: EndpointScope, output: OutputMediaType, call: EndpointRequest) {
    this.#scope = scope;
    this.#output = output;
    const { table } = scope.storage;
    if (output.convert?.kind === 'Table' && table !== undefined) {
      this.#table = {
        table,
        version: output.convert.version,
        include: readIncludeObject(call.query),
        head: scope.head,
      };
    }
    const shape = output.convert === undefined ? 'object' : `partial;${output.convert.version}`;
    this.#shared = `${output.serializer.name};${scope.head.apiVersion};${shape}`;
  }

  encode(event: WatchEvent): Buffer {
    if (event.type === 'ERROR') return this.#frame(event);
    // A list is made of no single object.
    if (this.#output.convert?.kind === 'PartialObjectMetadataList') throw notAList(this.#scope.codec);
    if (this.#table !== undefined) return this.#frame(event);
    const made = event.frames.get(this.#shared);
    if (made !== undefined) return made;
    const frame = ownBytes(this.#frame(event));
    event.frames.set(this.#shared, frame);
    return frame;
  }

  #frame(event: WatchEvent): Buffer {
    if (this.#output.serializer.name === 'protobuf') return this.#protobufFrame(event);
    const object = this.#json(event);
    if (this.#output.serializer.name === 'cbor') return encodeCborWatchEvent(event.type, parseJson(object));
    const head = `{"type":"${event.type}","object":`;
    return Buffer.concat([Buffer.from(head), object, Buffer.from('}\n')]);
  }

  #json(event: WatchEvent): Buffer {
    const { object } = event;
    if (event.type === 'ERROR') return Buffer.from(stringifyJson(event.status));
    if (this.#table !== undefined) return this.#tableRow(event, this.#table);
    if (object === undefined) return Buffer.from(stringifyJson(this.#bookmark(event)));
    const { convert } = this.#output;
    return convert === undefined ? object.json : partialMetadata(object, this.#scope.head, convert.version);
  }

  #tableRow(event: WatchEvent, table: TableRequest): Buffer {
    const columns = !this.#columnsSent;
    this.#columnsSent = true;
    const object = event.object ?? unstoredObject(this.#bookmark(event));
    // The end of the initial events must be seen even by those who want no objects.
    const seen = event.initialEventsEnd === true && table.include === 'None';
    const request: TableRequest = seen ? { ...table, include: 'Metadata' } : table;
    return Buffer.from(tableJson([object], { resourceVersion: String(event.revision) }, request, columns));
  }

  #protobufFrame(event: WatchEvent): Buffer {
    const { protobuf } = this.#scope.services;
    if (protobuf === undefined) return Buffer.alloc(0);
    const value: KubeObject =
      event.type === 'ERROR' && event.status !== undefined
        ? { ...event.status }
        : event.object === undefined
          ? this.#bookmark(event)
          : this.#converted(event.object);
    return protobuf.encodeWatchEvent(event.type, value);
  }

  #converted(object: StoredObject): KubeObject {
    const { convert } = this.#output;
    if (convert === undefined) return object.parse();
    return parseJson(partialMetadata(object, this.#scope.head, convert.version)) as KubeObject;
  }

  #bookmark(event: WatchEvent): KubeObject {
    const { convert } = this.#output;
    const blank = this.#scope.blank();
    const end = event.initialEventsEnd === true ? { [initialEventsEnd]: 'true' } : undefined;
    const shown = blank.metadata.annotations;
    const annotations = shown === undefined && end === undefined ? {} : { annotations: { ...shown, ...end } };
    const metadata = { resourceVersion: String(event.revision), ...annotations };
    if (convert === undefined || convert.kind === 'Table') return { ...blank, metadata };
    return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${convert.version}`, metadata };
  }
}

/** GET with watch: the stream of changes, until the client leaves, the time is over or the server ends. */
export async function watchResource(
  scope: EndpointScope,
  storage: Watcher,
  call: EndpointRequest,
  options: ListOptions,
): Promise<void> {
  const { ctx, request } = call;
  const output = negotiateOutput(request.headers.accept, scope.restrictions);
  const timeout = watchTimeout(options, scope.services.minRequestTimeout);
  const stream = await storage.watch(ctx, { ...options, timeoutSeconds: timeout / 1000 });
  const timer = setTimeout(() => stream.stop(), Math.max(0, Math.min(timeout, maxTimer)));
  // One whose time was over before it began says nothing.
  if (timeout < 0) stream.stop();
  const stop = () => stream.stop();
  ctx.signal.addEventListener('abort', stop, { once: true });
  try {
    // What the answer may look like is asked last: a watch that cannot begin says why.
    const encoder = new FrameEncoder(scope, output, call);
    requireStream(output);
    if (!wantsWebSocket(request)) await serveChunks(call.response, stream, encoder, output);
    else await serveWebSocket(request, stream, (events) => encodeAll(encoder, events), output.serializer.name);
  } finally {
    clearTimeout(timer);
    ctx.signal.removeEventListener('abort', stop);
    stream.stop();
  }
}

function contentType({ serializer }: OutputMediaType): string {
  if (serializer.name === 'cbor') return cborSequenceMediaType;
  return serializer.name === 'json' ? serializer.mediaType : `${serializer.mediaType};stream=watch`;
}

const drained = (response: ServerResponse, stream: WatchStream): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', closed);
      resolve();
    };
    const closed = () => {
      stream.stop();
      done();
    };
    response.once('drain', done);
    response.once('close', closed);
  });

/** undefined = objects have no such form (that of a list): the watch ends without a word. */
function encodeAll(encoder: FrameEncoder, events: readonly WatchEvent[]): Buffer[] | undefined {
  try {
    return events.map((event) => encoder.encode(event));
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

async function serveChunks(
  response: ServerResponse,
  stream: WatchStream,
  encoder: FrameEncoder,
  output: OutputMediaType,
): Promise<void> {
  response.once('close', () => stream.stop());
  response.writeHead(200, { 'Content-Type': contentType(output) });
  response.flushHeaders();
  // The initial events, which are there already, are written first.
  const scope = findScope(response.req);
  if (scope?.whenInitialized !== undefined) setImmediate(() => scope.initialized());
  for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
    if (response.destroyed) return;
    const frames = encodeAll(encoder, events);
    if (frames === undefined) break;
    scope?.onEvents?.(frames);
    const writable = writeTogether(response, frames);
    // Nothing more is taken from the stream while the client does not read; the stream ends by itself when that lasts.
    if (!writable && !response.destroyed) await drained(response, stream);
  }
  response.end();
}

/** Frames are joined up to this size; larger ones go by themselves. */
const maxJoined = 64 * 1024;

/** The frames in fewer buffers: what a write costs hardly depends on its size. */
function joined(frames: readonly Buffer[]): readonly Buffer[] {
  if (frames.length < 2) return frames;
  const pieces: Buffer[] = [];
  let start = 0;
  let size = 0;
  const join = (end: number) => {
    if (end > start) pieces.push(Buffer.concat(frames.slice(start, end), size));
    start = end;
    size = 0;
  };
  for (const [i, { length }] of frames.entries()) {
    if (size + length > maxJoined) join(i);
    size += length;
  }
  join(frames.length);
  return pieces;
}

/**
 * One write to the connection for all frames at hand; false = the client does not keep up. Corking the response alone is not
 * enough for HTTP/1: Node uncorks the connection first and then writes the head of the chunk by itself, which made two TLS
 * records and two system calls of each event. And a corked response knows only what it holds back itself, not what its
 * connection has not taken yet: the last piece is written when it is open again, or a client that reads nothing goes unnoticed.
 */
function writeTogether(response: ServerResponse, frames: readonly Buffer[]): boolean {
  const pieces = joined(frames);
  const last = pieces.at(-1);
  if (last === undefined) return true;
  const connection = response.req.httpVersionMajor === 1 ? response.socket : null;
  connection?.cork();
  if (pieces.length > 1) {
    response.cork();
    for (let i = 0; i < pieces.length - 1; i++) response.write(pieces[i]);
    response.uncork();
  }
  const writable = response.write(last);
  connection?.uncork();
  return writable;
}
