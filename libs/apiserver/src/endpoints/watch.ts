import type { ServerResponse } from 'node:http';
import { ownBytes, parsingJson, pause, StatusError, stringifyJson, type KubeObject, type Work } from '@apichain/meta';
import { encodeCborWatchEvent } from '@apichain/scheme';
import { type StoredObject, type WatchEvent, type WatchStream, readingStored, storedJson } from '@apichain/storage';
import {
  largeItemInTurns,
  negotiateOutput,
  requireStream,
  wireFormatsOf,
  type OutputMediaType,
} from '@apichain/request';
import { cborSequenceMediaType } from '@apichain/request';
import { notAList, partialMetadata } from '../negotiation/representation.ts';
import { unstoredObject } from '../negotiation/result-document.ts';
import { readIncludeObject, tablePieces, type TableRequest } from '../negotiation/table.ts';
import { findScope } from '@apichain/request';
import type { ListOptions, Watcher } from '../registry/rest.ts';
import type { EndpointRequest, EndpointScope } from './scope.ts';
import { serveWebSocket, wantsWebSocket } from './watch-web-socket.ts';

/** The maximum delay of setTimeout, in milliseconds. */
const maxTimer = 2 ** 31 - 1;
const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * Milliseconds until the server ends the watch: the timeout that the client requests (a negative one ends it at once), or a random
 * time that spreads the reconnects.
 */
function watchTimeout(options: ListOptions, minRequestTimeoutSeconds: number): number {
  const { timeoutSeconds = 0 } = options;
  if (timeoutSeconds !== 0) return timeoutSeconds * 1000;
  return minRequestTimeoutSeconds * 1000 * (1 + Math.random());
}

/** A watch yields to other work after it has encoded this many bytes, if the turn's time is up. Large events also yield while they are encoded. */
const bytesPerStep = 64 * 1024;

/** Encodes the frames of one watch. JSON frames other than Tables are cached with the event and shared between watches. */
class FrameEncoder {
  readonly #scope: EndpointScope;
  readonly #output: OutputMediaType;
  readonly #table: TableRequest | undefined;
  readonly #shared: string;
  readonly #onInitialEventsEnd: (() => void) | undefined;
  #columnsSent = false;
  /** The bytes that were read or made since the last step. */
  #worked = 0;

  constructor(scope: EndpointScope, output: OutputMediaType, call: EndpointRequest) {
    this.#scope = scope;
    this.#output = output;
    this.#onInitialEventsEnd = findScope(call.request)?.onInitialEventsEnd;
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

  /**
   * The frame of an event, a promise where that takes long. Undefined if objects cannot be converted to the requested form (a list): the watch then ends
   * without an error event.
   */
  encode(event: WatchEvent): Buffer | undefined | Promise<Buffer | undefined> {
    const made = this.#isShared(event) ? event.frames.get(this.#shared) : undefined;
    return made ?? largeItemInTurns(this.#encoding(event));
  }

  /** Call this before each event. The promise resolves when the work may go on; undefined if it need not wait. */
  rest(): Promise<void> | undefined {
    if (this.#worked < bytesPerStep) return undefined;
    this.#worked = 0;
    return pause();
  }

  #isShared({ type }: WatchEvent): boolean {
    return type !== 'ERROR' && this.#table === undefined && this.#output.convert?.kind !== 'PartialObjectMetadataList';
  }

  *#encoding(event: WatchEvent): Work<Buffer | undefined> {
    try {
      // A watch event carries a single object, which cannot be converted to a list.
      if (event.type !== 'ERROR' && this.#output.convert?.kind === 'PartialObjectMetadataList')
        throw notAList(this.#scope.codec);
      const frame = yield* this.#frame(event);
      this.#worked += frame.length;
      if (!this.#isShared(event)) return frame;
      const shared = ownBytes(frame);
      event.frames.set(this.#shared, shared);
      return shared;
    } catch (error) {
      if (error instanceof StatusError) return undefined;
      throw error;
    }
  }

  *#frame(event: WatchEvent): Work<Buffer> {
    if (this.#output.serializer.name === 'protobuf') return yield* this.#protobufFrame(event);
    const parts = yield* this.#json(event);
    if (this.#output.serializer.name === 'cbor')
      return encodeCborWatchEvent(event.type, yield* parsingJson(Buffer.concat(parts)));
    const head = `{"type":"${event.type}","object":`;
    return Buffer.concat([Buffer.from(head), ...parts, Buffer.from('}\n')]);
  }

  *#json(event: WatchEvent): Work<readonly Buffer[]> {
    const { object } = event;
    if (event.type === 'ERROR') return [Buffer.from(stringifyJson(event.status))];
    if (this.#table !== undefined) return yield* this.#tableRow(event, this.#table);
    if (object === undefined) return [Buffer.from(stringifyJson(this.#bookmark(event)))];
    const { convert } = this.#output;
    if (convert === undefined) return [yield* storedJson(object)];
    return [yield* partialMetadata(object, this.#scope.head, convert.version)];
  }

  *#tableRow(event: WatchEvent, table: TableRequest): Work<readonly Buffer[]> {
    const columns = !this.#columnsSent;
    this.#columnsSent = true;
    const object = event.object ?? unstoredObject(this.#bookmark(event));
    // Clients detect the end of the initial events by an annotation, so this bookmark needs metadata even with includeObject=None.
    const seen = event.initialEventsEnd === true && table.include === 'None';
    const request: TableRequest = seen ? { ...table, include: 'Metadata' } : table;
    const parts: Buffer[] = [];
    for (const piece of tablePieces(object, { resourceVersion: String(event.revision) }, request, columns)) {
      if (piece === undefined || piece instanceof Promise) yield piece;
      else parts.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
    }
    return parts;
  }

  *#protobufFrame(event: WatchEvent): Work<Buffer> {
    const { protobuf } = this.#scope.services;
    if (protobuf === undefined) return Buffer.alloc(0);
    const value: KubeObject =
      event.type === 'ERROR' && event.status !== undefined
        ? { ...event.status }
        : event.object === undefined
          ? this.#bookmark(event)
          : yield* this.#converted(event.object);
    return protobuf.encodeWatchEvent(event.type, value);
  }

  *#converted(object: StoredObject): Work<KubeObject> {
    const { convert } = this.#output;
    if (convert === undefined) return yield* readingStored(object);
    return (yield* parsingJson(yield* partialMetadata(object, this.#scope.head, convert.version))) as KubeObject;
  }

  #bookmark(event: WatchEvent): KubeObject {
    const { convert } = this.#output;
    const blank = this.#scope.blank();
    if (event.initialEventsEnd === true) this.#onInitialEventsEnd?.();
    const end = event.initialEventsEnd === true ? { [initialEventsEnd]: 'true' } : undefined;
    const shown = blank.metadata.annotations;
    const annotations = shown === undefined && end === undefined ? {} : { annotations: { ...shown, ...end } };
    const metadata = { resourceVersion: String(event.revision), ...annotations };
    if (convert === undefined || convert.kind === 'Table') return { ...blank, metadata };
    return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${convert.version}`, metadata };
  }
}

/** GET with watch: streams changes until the client disconnects, the timeout passes or the server shuts down. */
export async function watchResource(
  scope: EndpointScope,
  storage: Watcher,
  call: EndpointRequest,
  options: ListOptions,
): Promise<void> {
  const { ctx, request } = call;
  const output = negotiateOutput(request.headers.accept, scope.restrictions, wireFormatsOf(request));
  const timeout = watchTimeout(options, scope.services.minRequestTimeoutSeconds);
  const stream = await storage.watch(ctx, { ...options, timeoutSeconds: timeout / 1000 });
  const timer = setTimeout(() => stream.stop(), Math.max(0, Math.min(timeout, maxTimer)));
  // A watch with a negative timeout sends no events.
  if (timeout < 0) stream.stop();
  const stop = () => stream.stop();
  ctx.signal.addEventListener('abort', stop, { once: true });
  try {
    // The output format is checked last: an error at the start of the watch takes precedence.
    const encoder = new FrameEncoder(scope, output, call);
    requireStream(output, wireFormatsOf(request));
    if (!wantsWebSocket(request)) await serveChunks(call.response, stream, encoder, output);
    else await serveWebSocket(request, stream, encoder, output.serializer.name);
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

/** Frames are written together up to this size in bytes. */
const maxTogether = 256 * 1024;

async function serveChunks(
  response: ServerResponse,
  stream: WatchStream,
  encoder: FrameEncoder,
  output: OutputMediaType,
): Promise<void> {
  response.once('close', () => stream.stop());
  response.writeHead(200, { 'Content-Type': contentType(output) });
  response.flushHeaders();
  // Initial events that are already available are written first.
  const scope = findScope(response.req);
  if (scope?.whenInitialized !== undefined) setImmediate(() => scope.initialized());
  const send = async (frames: readonly Buffer[]) => {
    scope?.onEvents?.(frames);
    // While the client does not read, nothing is encoded and no events are taken from the stream. The stream ends itself if that lasts too long.
    if (!writeTogether(response, frames) && !response.destroyed) await drained(response, stream);
  };
  for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
    let frames: Buffer[] = [];
    let size = 0;
    for (const event of events) {
      const rest = encoder.rest();
      if (rest !== undefined) await rest;
      if (response.destroyed) return;
      const encoded = encoder.encode(event);
      const frame = encoded instanceof Promise ? await encoded : encoded;
      if (frame === undefined) {
        response.end();
        return;
      }
      frames.push(frame);
      size += frame.length;
      if (size < maxTogether) continue;
      await send(frames);
      frames = [];
      size = 0;
    }
    if (frames.length > 0) await send(frames);
  }
  response.end();
}

/** Frames are joined up to this size in bytes; larger frames are written separately. */
const maxJoined = 64 * 1024;

/** Joins frames into fewer buffers: the cost of a write hardly depends on its size. */
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
 * Writes all available frames with one write to the connection. Returns false when the client does not keep up. Corking only the
 * response is not enough for HTTP/1: Node uncorks the connection before it writes the chunk header, so each event took two TLS
 * records and two system calls. Also, write() on a corked response only reports the response's buffer, not that of the
 * connection. So the last piece is written after uncorking; otherwise a client that does not read would not be detected.
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
