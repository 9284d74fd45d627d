import { newResourceExpired } from '@apichain/meta';
import { SharedEvent, type CacheEvent } from './cache-event.ts';
import { deliveryRounds } from './delivery-rounds.ts';
import type { SelectionPredicate, StorageWatchOptions, StoredObject, WatchEvent, WatchStream } from './storage.ts';

export interface WatchQueueLimits {
  /** A consumer that has not read for `patience` milliseconds is terminated when this many events are queued. */
  readonly softEvents: number;
  readonly patience: number;
  /** The maximum number of queued events. */
  readonly hardEvents: number;
}

export const defaultWatchQueueLimits: WatchQueueLimits = { softEvents: 1_024, patience: 5_000, hardEvents: 16_384 };

/** Synthetic ADDED events are created in chunks of this size, as the consumer reads them. */
const initialChunk = 500;
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

/** The bounded queue of one watcher, between a watch cache, which never waits, and a consumer, which may be slow. */
export class WatchQueue implements WatchStream {
  readonly directory: string;
  readonly predicate: SelectionPredicate;
  readonly #limits: WatchQueueLimits;
  readonly #options: StorageWatchOptions;
  readonly #onEnd: (queue: WatchQueue, tooSlow: boolean) => void;
  #initial: readonly StoredObject[] = [];
  #initialTaken = 0;
  #queue: WatchEvent[] = [];
  #wake: ((events: readonly WatchEvent[] | undefined) => void) | undefined;
  #ended = false;
  #lastTaken = Date.now();
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
      ? nextBookmark(Date.now(), options.deadline)
      : Number.POSITIVE_INFINITY;
    if (options.signal.aborted) this.#ended = true;
    else options.signal.addEventListener('abort', this.stop, { once: true });
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  /** Sets the objects to send before all other events. Must be called before the first offer. */
  start(initial: readonly StoredObject[], announceEnd: boolean): void {
    this.#initial = initial;
    if (announceEnd) this.#push(new SharedEvent('BOOKMARK', this.#reached, { initialEventsEnd: true }));
  }

  offer(event: CacheEvent): void {
    if (this.#ended || event.revision < this.#reached) return;
    if (event.revision === this.#reached && this.#atStart) return;
    this.#atStart = false;
    this.#reached = event.revision;
    if (!event.key.startsWith(this.directory)) return;
    const selected = event.select(this.predicate);
    if (selected !== undefined) this.#push(selected);
  }
  /** Before the first offer, the consumer has all changes of the revision `reached`. After it, more changes of that revision may follow. */
  #atStart = true;

  /** The last revision sent to the watcher, or the one that the watch began after. */
  get revision(): number {
    return this.#reached;
  }

  /** Sends a bookmark for `revision` if one is due. */
  offerBookmark(revision: number, now: number): void {
    if (this.#ended || now < this.#bookmarkDue) return;
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
    this.#lastTaken = Date.now();
    const ready = this.#take();
    if (ready.length > 0) return Promise.resolve(ready);
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  stop = (): void => {
    this.#initial = [];
    this.#queue = [];
    this.#end(false);
  };

  #take(): readonly WatchEvent[] {
    if (this.#initialTaken < this.#initial.length) {
      const chunk = this.#initial.slice(this.#initialTaken, this.#initialTaken + initialChunk);
      this.#initialTaken += chunk.length;
      return chunk.map((object) => new SharedEvent('ADDED', object.revision, { object }));
    }
    this.#initial = [];
    const events = this.#queue;
    if (events.length > 0) this.#queue = [];
    return events;
  }

  #push(event: WatchEvent): void {
    if (this.#isTooSlow()) {
      // Queued events are dropped: the client resumes after the last event that it read.
      this.#initial = [];
      this.#queue = [];
      this.#end(true);
      return;
    }
    this.#queue.push(event);
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
    this.#lastTaken = Date.now();
    wake(events);
  };

  #isTooSlow(): boolean {
    const { length } = this.#queue;
    if (length < this.#limits.softEvents) return false;
    return length >= this.#limits.hardEvents || Date.now() - this.#lastTaken > this.#limits.patience;
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
