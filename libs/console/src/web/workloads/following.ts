import { ApiError, messageOf } from '../api/api.ts';
import type { JoinedEvent } from '../api/watch.ts';
import { pause } from '../api/while-visible.ts';
import type { Shelf } from './live-objects.ts';
import { count, fields, text, type StoredObject } from '../api/stored-object.ts';

/** A page of a list. */
export interface ListPage {
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly StoredObject[] | null;
}

/** How lists and watches are read. */
export interface Reader {
  list(path: string, signal: AbortSignal): Promise<ListPage>;
  /** Yields nothing once the watches are open, and then their events. */
  watch(paths: readonly string[], signal: AbortSignal): AsyncIterable<readonly JoinedEvent<StoredObject>[]>;
}

/** A resource that is followed. */
export interface Source<Id extends string> {
  readonly id: Id;
  /** Of the list. */
  readonly path: string;
  readonly shelf: Shelf;
  /** A resourceVersion: its first list is that of this moment, if the server still has it, so that its watch tells what has changed since. */
  readonly since?: string | undefined;
}

/** How far a source is. A refused one is not asked again, until the page is. */
export interface SourceState {
  readonly state: 'loading' | 'live' | 'reconnecting' | 'refused';
  readonly error?: string;
}

interface Options {
  readonly retryMs?: number;
  /** Objects in a page of a list. */
  readonly pageSize?: number;
}

const refusals: ReadonlySet<number> = new Set([403, 404, 405]);
const expired = 410;

/**
 * Follows several resources: lists each, and then watches all of them over one connection. A watch that ends goes on where it was; one that is too
 * old (410) begins with a new list. https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export class Following<Id extends string> {
  readonly #sources: readonly Source<Id>[];
  readonly #reader: Reader;
  readonly #changed: () => void;
  readonly #retryMs: number;
  readonly #pageSize: number;
  /** The resourceVersions from which the watches go on. */
  readonly #positions = new Map<Id, string>();
  readonly #states = new Map<Id, SourceState>();
  /** The sources that were asked for the state of a moment before. */
  readonly #asked = new Set<Id>();

  /** `changed` is called after each change of a shelf or a state. */
  constructor(sources: readonly Source<Id>[], reader: Reader, changed: () => void, options: Options = {}) {
    this.#sources = sources;
    this.#reader = reader;
    this.#changed = changed;
    this.#retryMs = options.retryMs ?? 2_000;
    this.#pageSize = options.pageSize ?? 500;
  }

  stateOf(id: Id): SourceState {
    return this.#states.get(id) ?? { state: 'loading' };
  }

  /** The resourceVersion up to which the changes of a source are known; undefined before its list was read. */
  positionOf(id: Id): string | undefined {
    return this.#positions.get(id);
  }

  /** Follows until the signal aborts, or every source is refused. May be called again after that: it goes on where it was. */
  async run(signal: AbortSignal): Promise<void> {
    for (const { id } of this.#sources) if (this.stateOf(id).state === 'refused') this.#states.delete(id);
    while (!signal.aborted) {
      await Promise.all(this.#unlisted().map((source) => this.#list(source, signal)));
      const followed = this.#sources.filter(({ id }) => this.#positions.has(id));
      if (followed.length === 0 && this.#unlisted().length === 0) return;
      const isExpired = followed.length > 0 && !signal.aborted && (await this.#watch(followed, signal));
      if (!isExpired) await pause(this.#retryMs, signal);
    }
  }

  #unlisted(): readonly Source<Id>[] {
    return this.#sources.filter(({ id }) => !this.#positions.has(id) && this.stateOf(id).state !== 'refused');
  }

  #set(id: Id, state: SourceState): void {
    this.#states.set(id, state);
    this.#changed();
  }

  async #list(source: Source<Id>, signal: AbortSignal): Promise<void> {
    const { id, path, shelf, since } = source;
    const isOfBefore = since !== undefined && !this.#asked.has(id);
    this.#asked.add(id);
    const moment = isOfBefore ? `&resourceVersion=${since}&resourceVersionMatch=Exact` : '';
    try {
      shelf.beginList();
      let position: string | undefined;
      let page: ListPage;
      let next = '';
      let hasRoom: boolean;
      do {
        page = await this.#reader.list(`${path}?limit=${this.#pageSize}${next === '' ? moment : next}`, signal);
        if (signal.aborted) return;
        hasRoom = shelf.list(page.items ?? []);
        position ??= page.metadata?.resourceVersion ?? '';
        const token = page.metadata?.continue ?? '';
        next = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
        this.#changed();
      } while (next !== '' && hasRoom);
      shelf.endList(next === '' ? 0 : (page.metadata?.remainingItemCount ?? 1));
      this.#positions.set(id, position);
      this.#set(id, { state: 'live' });
    } catch (error) {
      if (signal.aborted) return;
      if (isOfBefore) await this.#list(source, signal);
      else this.#failed(source, error instanceof ApiError ? error.status : 0, messageOf(error));
    }
  }

  #failed({ id, shelf }: Source<Id>, code: number, error: string): void {
    const isRefused = refusals.has(code);
    if (isRefused || code === expired) this.#positions.delete(id);
    if (isRefused) {
      // What the user may no longer see is no longer shown.
      shelf.beginList();
      shelf.endList(0);
    }
    this.#set(id, { state: isRefused ? 'refused' : 'reconnecting', error });
  }

  /** Watches until one of the watches ends. True when it was too old, so that a list is due at once. */
  async #watch(followed: readonly Source<Id>[], signal: AbortSignal): Promise<boolean> {
    const stop = new AbortController();
    const stopAll = () => stop.abort();
    signal.addEventListener('abort', stopAll, { once: true });
    // Sources that could not be listed are tried again meanwhile.
    const retry = this.#unlisted().length === 0 ? undefined : setTimeout(stopAll, this.#retryMs);
    const paths = followed.map(({ id, path }) => {
      const query = { watch: '1', allowWatchBookmarks: 'true', resourceVersion: this.#positions.get(id) ?? '' };
      return `${path}?${new URLSearchParams(query).toString()}`;
    });
    try {
      for await (const events of this.#reader.watch(paths, stop.signal)) {
        for (const { id } of followed) if (this.stateOf(id).state !== 'live') this.#set(id, { state: 'live' });
        const ends = events
          .map((event) => this.#take(followed[event.watch], event))
          .filter((code) => code !== undefined);
        if (events.length > 0) this.#changed();
        if (ends.length > 0) return ends.includes(expired);
      }
    } catch (error) {
      if (!stop.signal.aborted) for (const source of followed) this.#failed(source, 0, messageOf(error));
    } finally {
      clearTimeout(retry);
      signal.removeEventListener('abort', stopAll);
      stopAll();
    }
    return false;
  }

  /** The status code with which a watch ended; undefined while it goes on. */
  #take(source: Source<Id> | undefined, { event, end }: JoinedEvent<StoredObject>): number | undefined {
    if (source === undefined) return undefined;
    if (end !== undefined) {
      if (end.code !== 200) this.#failed(source, end.code, refusalText(end.message ?? ''));
      return end.code;
    }
    if (event.type === 'ERROR') {
      const code = count(event.object['code']);
      this.#failed(source, code, text(event.object['message']));
      return code;
    }
    this.#positions.set(source.id, event.object.metadata.resourceVersion ?? this.#positions.get(source.id) ?? '');
    if (event.type !== 'BOOKMARK') source.shelf.apply(event);
    return undefined;
  }
}

/** The message of a Status, or the text that the server sent instead. */
function refusalText(body: string): string {
  try {
    return text(fields(JSON.parse(body))['message']) || body;
  } catch (error) {
    if (error instanceof SyntaxError) return body;
    throw error;
  }
}
