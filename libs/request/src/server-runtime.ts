import { lazy } from '@apichain/meta';
import type { WorkerPool } from '@apichain/worker-pool';
import { standardFormats, type WireFormats } from './negotiation/media-types.ts';
import type { ProtobufCodec } from './negotiation/protobuf.ts';
import { LargeLists, Places, Sum } from './places.ts';

/**
 * The bytes of large bodies and documents of one user that are worked on at the same time. A document takes up to 60 times its bytes while it is decoded, defaulted
 * and validated. Twice as many bytes shorten 40 writes of 1 MB, 24 at a time, by a tenth to two fifths, and take 20 to 40 MB more.
 */
const bytesInWork = 1024 * 1024;

/** The options of a ServerRuntime. */
export interface ServerRuntimeOptions extends Partial<Representations> {
  /** Makes the worker threads of the server; undefined = passes over large documents are made in the thread that serves requests. */
  readonly makeWorkers?: () => WorkerPool | undefined;
}

/** How a server reads and writes objects. */
export interface Representations {
  readonly formats: WireFormats;
  /** The codec of protobuf; undefined = the server has no objects in protobuf. */
  readonly protobuf: ProtobufCodec | undefined;
}

/** What the requests of one server share. The server makes it, and the scope of each request refers to it. */
export class ServerRuntime implements Representations {
  readonly formats: WireFormats;
  readonly protobuf: ProtobufCodec | undefined;
  /** The large bodies and documents in work, in bytes, by user. */
  readonly largeWork = new Places(() => new Sum(bytesInWork));
  /** The large items of responses that are being encoded: one of each user. */
  readonly largeItems = new Places(() => new Sum(1));
  /** The large lists that are in memory, by user. */
  readonly largeLists = new Places(() => new LargeLists());

  /** The worker threads, made when they are needed first. */
  readonly workers: () => WorkerPool | undefined;

  constructor({ formats = standardFormats, protobuf, makeWorkers = () => undefined }: ServerRuntimeOptions = {}) {
    this.formats = formats;
    this.protobuf = protobuf;
    this.workers = lazy(makeWorkers);
  }
}
