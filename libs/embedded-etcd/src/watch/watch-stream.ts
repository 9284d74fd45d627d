import {
  type ResponseHeader,
  type WatchCancelRequest,
  type WatchCreateRequest,
  type WatchRequest,
  type WatchResponse,
  WatchCreateRequest_FilterType,
} from '@apichain/etcd-api/etcdserverpb';
import { keyRange } from '../mvcc/key-range.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import type { Version } from '../mvcc/version.ts';
import { Watcher } from './watcher.ts';
import type { Event } from '@apichain/etcd-api/mvccpb';

/** The parts of the server that a stream uses. */
export interface WatchSource {
  readonly store: MvccStore;
  readonly revision: number;
  header(): ResponseHeader;
}

/** Receives the responses of a stream. */
export interface WatchSink {
  /** Returns false when the stream must wait for `drained` before it sends more. */
  send(response: WatchResponse): boolean;
}

const { NOPUT, NODELETE } = WatchCreateRequest_FilterType;
/** The watch id of a response that does not concern a single watch. */
const everyWatch = -1;
const smallestKey = Buffer.from([0]);
/** The number of history events processed in one turn of the event loop. */
const eventsPerTurn = 1_000;
const compactedReason = 'etcdserver: mvcc: required revision has been compacted';

/**
 * The watches of one client stream. Each watch keeps its position in the store's history. There is no queue: a slow client is further behind, until
 * compaction removes the history that its watch needs and the watch ends. A watch that is up to date gets new events as they become durable.
 */
export class WatchStream {
  readonly #source: WatchSource;
  readonly #sink: WatchSink;
  readonly #maxFragmentBytes: number;
  readonly #watchers = new Map<number, Watcher>();
  /** The watches that have history to catch up with. */
  readonly #behind = new Set<Watcher>();
  #nextId = 0;
  #writable = true;
  #progressWanted = false;
  #catchingUp = false;
  #closed = false;

  constructor(source: WatchSource, sink: WatchSink, maxFragmentBytes: number) {
    this.#source = source;
    this.#sink = sink;
    this.#maxFragmentBytes = maxFragmentBytes;
  }

  receive(request: WatchRequest): void {
    if (request.createRequest !== undefined) this.#create(request.createRequest);
    else if (request.cancelRequest !== undefined) this.#cancel(request.cancelRequest);
    else if (request.progressRequest !== undefined) this.#requestProgress();
  }

  /** Publishes new durable changes, of one or more complete revisions. */
  publish(changes: readonly Version[]): void {
    for (const watcher of this.#watchers.values()) {
      if (this.#behind.has(watcher)) continue;
      if (this.#writable) this.#pass(watcher, changes, this.#source.revision);
      else this.#behind.add(watcher);
    }
  }

  /** Called when the client has read everything that was sent. */
  drained(): void {
    this.#writable = true;
    this.#catchUp();
  }

  /** Sends a progress notification to the watches that requested them and have sent nothing since the last call. */
  notifyProgress(): void {
    for (const watcher of this.#watchers.values()) {
      const silent = !watcher.spoke;
      watcher.spoke = false;
      if (silent && watcher.options.progressNotify && !this.#behind.has(watcher)) {
        this.#send({ watchId: watcher.options.id });
      }
    }
  }

  close(): void {
    this.#closed = true;
    this.#watchers.clear();
    this.#behind.clear();
  }

  #create(request: WatchCreateRequest): void {
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) {
      this.#send({ watchId: everyWatch, created: true, canceled: true, cancelReason: refusal });
      return;
    }
    const { revision } = this.#source;
    const watcher = new Watcher({
      id: request.watchId === 0 ? this.#freeId() : request.watchId,
      range: rangeOf(request),
      startRevision: request.startRevision === 0 ? revision + 1 : request.startRevision,
      wantsPuts: !request.filters.includes(NOPUT),
      wantsDeletes: !request.filters.includes(NODELETE),
      prevKv: request.prevKv,
      fragment: request.fragment,
      progressNotify: request.progressNotify,
    });
    this.#watchers.set(watcher.options.id, watcher);
    this.#send({ watchId: watcher.options.id, created: true });
    if (watcher.next > revision) return;
    this.#behind.add(watcher);
    this.#catchUp();
  }

  #refusalOf({ startRevision, watchId, key, rangeEnd }: WatchCreateRequest): string | undefined {
    if (startRevision < 0) return compactedReason;
    const isOpen = rangeEnd.length === 0 || (rangeEnd.length === 1 && rangeEnd[0] === 0);
    if (!isOpen && Buffer.compare(key, rangeEnd) >= 0) return 'mvcc: watcher range is empty';
    return watchId !== 0 && this.#watchers.has(watchId)
      ? 'mvcc: duplicate watch ID provided on the WatchStream'
      : undefined;
  }

  #freeId(): number {
    while (this.#watchers.has(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }

  #cancel({ watchId }: WatchCancelRequest): void {
    const watcher = this.#watchers.get(watchId);
    if (watcher === undefined) return;
    this.#forget(watcher);
    this.#send({ watchId, canceled: true });
  }

  #forget(watcher: Watcher): void {
    this.#watchers.delete(watcher.options.id);
    this.#behind.delete(watcher);
  }

  /** Requests a response that is sent when every watch of the stream has sent all events up to the revision in the response. */
  #requestProgress(): void {
    this.#progressWanted = true;
    this.#sendProgress();
  }

  #sendProgress(): void {
    if (!this.#progressWanted || this.#behind.size > 0) return;
    this.#progressWanted = false;
    this.#send({ watchId: everyWatch });
  }

  /** Sends the events of `changes` that match the watch. Afterwards the watch is past `revision`. */
  #pass(watcher: Watcher, changes: readonly Version[], revision: number): void {
    const { store } = this.#source;
    const events = changes.filter((version) => watcher.wants(version)).map((version) => watcher.event(store, version));
    watcher.next = Math.max(watcher.next, revision + 1);
    if (events.length === 0) return;
    watcher.spoke = true;
    const response = this.#response({ watchId: watcher.options.id, events });
    const parts = watcher.options.fragment ? fragmentsOf(response, this.#maxFragmentBytes) : [response];
    for (const part of parts) this.#write(part);
  }

  /** Advances the watches that are behind, one piece of history per turn, as long as the client reads. */
  #catchUp(): void {
    if (this.#catchingUp || this.#closed) return;
    for (const watcher of this.#behind) {
      if (!this.#writable) return;
      if (!this.#advance(watcher)) {
        this.#catchingUp = true;
        setImmediate(() => {
          this.#catchingUp = false;
          this.#catchUp();
        });
        return;
      }
    }
    this.#sendProgress();
  }

  /** Processes one piece of history for one watch. Returns whether the watch is now up to date or has ended. */
  #advance(watcher: Watcher): boolean {
    const { store, revision } = this.#source;
    if (watcher.next < store.compactRevision) {
      this.#forget(watcher);
      this.#send({ watchId: watcher.options.id, canceled: true, compactRevision: store.compactRevision });
      return true;
    }
    const { piece, last } = historyPiece(store, watcher.next, revision);
    this.#pass(watcher, piece, last);
    if (last < revision) return false;
    this.#behind.delete(watcher);
    return true;
  }

  #send(response: Partial<WatchResponse>): void {
    if (!this.#closed) this.#write(this.#response(response));
  }

  #write(response: WatchResponse): void {
    if (!this.#sink.send(response)) this.#writable = false;
  }

  #response(response: Partial<WatchResponse>): WatchResponse {
    return {
      header: this.#source.header(),
      watchId: 0,
      created: false,
      canceled: false,
      compactRevision: 0,
      cancelReason: '',
      fragment: false,
      events: [],
      ...response,
    };
  }
}

function rangeOf({ key, rangeEnd }: WatchCreateRequest) {
  return keyRange(key.length === 0 ? smallestKey : key, rangeEnd);
}

/** Complete revisions from `from` on, about `eventsPerTurn` events, and the last revision that they cover. */
function historyPiece(store: MvccStore, from: number, to: number): { piece: readonly Version[]; last: number } {
  const { all } = store.events;
  const start = store.events.position(from);
  const end = store.events.position(to + 1);
  if (end - start <= eventsPerTurn) return { piece: all.slice(start, end), last: to };
  const last = all[start + eventsPerTurn]?.kv.modRevision ?? to;
  return { piece: all.slice(start, store.events.position(last + 1)), last };
}

/** The maximum size of an event or a response without its keys and values, in bytes. */
const overhead = 64;

const sizeOf = ({ kv, prevKv }: Event): number =>
  overhead +
  (kv === undefined ? 0 : overhead + kv.key.length + kv.value.length) +
  (prevKv === undefined ? 0 : overhead + prevKv.key.length + prevKv.value.length);

/** Splits the response into parts of at most `maxBytes` (or one event, if that is larger). Each part but the last is marked as a fragment. */
function* fragmentsOf(response: WatchResponse, maxBytes: number): Generator<WatchResponse> {
  let events: Event[] = [];
  let bytes = overhead;
  for (const event of response.events) {
    const size = sizeOf(event);
    if (events.length > 0 && bytes + size >= maxBytes) {
      yield { ...response, fragment: true, events };
      events = [];
      bytes = overhead;
    }
    events.push(event);
    bytes += size;
  }
  yield { ...response, events };
}
