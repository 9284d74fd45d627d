import { newResourceExpired } from '@apichain/meta';
import { SharedEvent, type CacheEvent } from './cache-event.ts';
import { deliveryRounds } from './delivery-rounds.ts';
import { EventChunks, type ChunkLimits } from './event-chunks.ts';
import type { SelectionPredicate, StorageWatchOptions, StoredObject, WatchEvent, WatchStream } from './storage.ts';

export interface WatchQueueLimits {
  /** A consumer that has not read for `patienceMs` is terminated when this many events are queued, or events of so many bytes. */
  readonly softEvents: number;
  readonly softBytes: number;
  readonly patienceMs: number;
  /** The maximum number of queued events. */
  readonly hardEvents: number;
  /** The maximum of the bytes that queued events keep in memory, with the states that they replaced. One event may keep more. */
  readonly hardBytes: number;
}

/** When a consumer counts as too slow, by default. */
export const defaultWatchQueueLimits: WatchQueueLimits = {
  softEvents: 1_024,
  softBytes: 8 * 1024 * 1024,
  patienceMs: 5_000,
  hardEvents: 16_384,
  hardBytes: 32 * 1024 * 1024,
};

/** What a consumer gets at once. It encodes this much before it waits for its client. */
const chunk: ChunkLimits = { events: 500, bytes: 256 * 1024 };
const bookmarkPeriod = 60_000;
/** How long before its deadline a watch gets a last bookmark, in milliseconds. */
const bookmarkBeforeDeadline = 2_000;

/** When the next bookmark is due: in about a minute, or shortly before the deadline if that comes first. */
function nextBookmark(now: number, deadline: number | undefined): number {
  const regular = now + bookmarkPeriod * (0.75 + Math.random() / 2);
  if (deadline === undefined) return regular;
  const last = deadline - bookmarkBeforeDeadline;
  if (last >= regular) return regular;
  return last > now ? last : Number.POSITIVE_INFINITY;
}

const objectsInLine = (objects: readonly StoredObject[] = []) =>
  new EventChunks<StoredObject>(({ json }) => json.length, objects);
const eventsInLine = () => new EventChunks<SharedEvent>(({ bytes }) => bytes);

/** The bounded queue of one watcher, between a watch cache, which never waits, and a consumer, which may be slow. */
export class WatchQueue implements WatchStream {
  readonly directory: string;
  readonly predicate: SelectionPredicate;
  readonly #limits: WatchQueueLimits;
  readonly #options: StorageWatchOptions;
  readonly #onEnd: (queue: WatchQueue, tooSlow: boolean) => void;
  /** Become ADDED events as the consumer reads them. */
  #initial = objectsInLine();
  /**
   * Events from before the watch: the end of the initial ones and those of the cache's history. They are not part of the limits: a client that
   * resumes could otherwise never catch up.
   */
  #missed = eventsInLine();
  #queue = eventsInLine();
  #queuedBytes = 0;
  #wake: ((events: readonly WatchEvent[] | undefined) => void) | undefined;
  #ended = false;
  #lastTaken = performance.now();
  #bookmarkDue: number;
  /** The consumer has all changes up to this revision, or gets them with its initial events. */
  #reached: number;

  constructor(
    directory: string,
    options: StorageWatchOptions,
    startRevision: number,
    onEnd: (queue: WatchQueue, tooSlow: boolean) => void,
    limits: WatchQueueLimits = defaultWatchQueueLimits,
  ) {
    this.directory = directory;
    this.#options = options;
    this.predicate = options.predicate;
    this.#reached = startRevision;
    this.#onEnd = onEnd;
    this.#limits = limits;
    this.#bookmarkDue = options.allowWatchBookmarks
      ? nextBookmark(performance.now(), options.deadline)
      : Number.POSITIVE_INFINITY;
    if (options.signal.aborted) this.#ended = true;
    else options.signal.addEventListener('abort', this.stop, { once: true });
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  /** Sets the objects to send before all other events. Must be called before the first offer. */
  start(initial: readonly StoredObject[], announceEnd: boolean): void {
    this.#initial = objectsInLine(initial);
    if (announceEnd) this.#missed.push(new SharedEvent('BOOKMARK', this.#reached, { initialEventsEnd: true }));
  }

  /** Sets the changes of the cache's history to send before all other events. Must be called after `start`, before the first offer. */
  resume(history: readonly CacheEvent[]): void {
    for (const event of history) {
      const selected = this.#selected(event);
      if (selected !== undefined) this.#missed.push(selected);
    }
  }

  offer(event: CacheEvent): void {
    const selected = this.#selected(event);
    if (selected !== undefined) this.#push(selected);
  }

  #selected(event: CacheEvent): SharedEvent | undefined {
    if (this.#ended || event.revision < this.#reached) return undefined;
    if (event.revision === this.#reached && this.#atStart) return undefined;
    this.#atStart = false;
    this.#reached = event.revision;
    return event.key.startsWith(this.directory) ? event.select(this.predicate) : undefined;
  }
  /** Before the first offer, the consumer has all changes of the revision `reached`. After it, more changes of that revision may follow. */
  #atStart = true;

  /** The last revision sent to the watcher, or the one that the watch began after. */
  get revision(): number {
    return this.#reached;
  }

  /** Sends a bookmark for `revision` if one is due. Called regularly, it also ends a watch that became too slow with the last event. */
  offerBookmark(revision: number, now: number): void {
    if (this.#ended) return;
    if (this.#isTooSlow()) this.#giveUp();
    if (now < this.#bookmarkDue) return;
    this.#bookmarkDue = nextBookmark(now, this.#options.deadline);
    this.#push(new SharedEvent('BOOKMARK', Math.max(revision, this.#reached), {}));
  }

  /** Ends the watch with 410: further events could not be sent without a gap. */
  expire(message: string): void {
    if (this.#ended) return;
    this.#push(new SharedEvent('ERROR', this.#reached, { status: newResourceExpired(message).status }));
    this.#end(false);
  }

  /** Ends the watch after the queued events have been read. */
  finish(): void {
    this.#end(false);
  }

  next(): Promise<readonly WatchEvent[] | undefined> {
    this.#lastTaken = performance.now();
    const ready = this.#take();
    if (ready.length > 0) return Promise.resolve(ready);
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  stop = (): void => {
    this.#drop();
    this.#end(false);
  };

  #drop(): void {
    this.#initial.clear();
    this.#missed.clear();
    this.#queue.clear();
    this.#queuedBytes = 0;
  }

  /** Queued events are dropped: the client resumes after the last event that it read. */
  #giveUp(): void {
    this.#drop();
    this.#end(true);
  }

  #take(): readonly WatchEvent[] {
    if (this.#initial.length > 0) {
      return this.#initial.take(chunk).map((object) => new SharedEvent('ADDED', object.revision, { object }));
    }
    if (this.#missed.length > 0) return this.#missed.take(chunk);
    const events = this.#queue.take(chunk);
    for (const { bytes } of events) this.#queuedBytes -= bytes;
    return events;
  }

  #push(event: SharedEvent): void {
    if (this.#isTooSlow()) {
      this.#giveUp();
      return;
    }
    this.#queue.push(event);
    this.#queuedBytes += event.bytes;
    // Events that arrive before the next round are delivered together.
    if (this.#wake === undefined || this.#queue.length > 1) return;
    if (this.#options.prompt === true) queueMicrotask(this.#deliver);
    else deliveryRounds.schedule(this.#deliver);
  }

  readonly #deliver = (): void => {
    const wake = this.#wake;
    if (wake === undefined) return;
    const events = this.#take();
    if (events.length === 0) return;
    this.#wake = undefined;
    this.#lastTaken = performance.now();
    wake(events);
  };

  #isTooSlow(): boolean {
    // A consumer that waits is not slow: the events of this turn will be delivered.
    if (this.#wake !== undefined) return false;
    const { softEvents, softBytes, patienceMs, hardEvents, hardBytes } = this.#limits;
    const { length } = this.#queue;
    if (length >= hardEvents || this.#queuedBytes >= hardBytes) return true;
    if (length < softEvents && this.#queuedBytes < softBytes) return false;
    return performance.now() - this.#lastTaken > patienceMs;
  }

  #end(tooSlow: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.signal.removeEventListener('abort', this.stop);
    if (this.#queue.length === 0) {
      this.#wake?.(undefined);
      this.#wake = undefined;
    }
    this.#onEnd(this, tooSlow);
  }
}
