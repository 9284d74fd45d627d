import { setTimeout as delay } from 'node:timers/promises';
import { isStatusError, StatusError, type KubeObject } from '@apichain/meta';
import { ReconnectBackoff } from './reconnect-backoff.ts';
import type { ClientWatchEvent, Query, ReadOptions, ResourceReference, RestClient } from './rest-client.ts';

/** The resource that a watcher follows, and its options. */
export interface WatcherOptions extends ReadOptions {
  readonly client: RestClient;
  readonly resource: ResourceReference;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Whether the watch itself begins with the objects, which saves the list and does not hold pages of objects. A server that refuses it is asked for lists. Not for
   * servers before Kubernetes 1.27, which ignore the request. https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
   */
  readonly streamsInitialState?: boolean;
  /** Called with every failure except an expired revision; the watcher continues with backoff. */
  readonly onError?: (error: unknown) => void;
  /** Replaces the default waits between attempts. */
  readonly backoff?: ReconnectBackoff;
  /** Replaces the timer; must resolve early when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * The events of a watcher. A list begins with `Init`, has an `InitPage` for each page, or for each object of a watch that begins with them, and ends with
 * `InitDone`: objects that were in none of its pages have been deleted. After that, changes follow one by one.
 */
export type WatcherEvent =
  | { readonly type: 'Init' }
  | { readonly type: 'InitPage'; readonly objects: readonly KubeObject[] }
  | { readonly type: 'InitDone' }
  | { readonly type: 'Apply'; readonly object: KubeObject }
  /** `object` in its last state. */
  | { readonly type: 'Delete'; readonly object: KubeObject };

interface OpenWatch {
  readonly stream: AsyncGenerator<ClientWatchEvent, unknown>;
  /** When the watch was requested, in milliseconds of `performance.now()`. */
  readonly since: number;
}

interface InitialWatch extends OpenWatch {
  readonly phase: 'InitialWatch';
}

interface Watching extends OpenWatch {
  readonly phase: 'Watching';
  /** The revision from which the next watch continues. */
  readonly resourceVersion: string;
}

/**
 * The states of a watcher, and the states that follow:
 *
 * - Empty: InitPage, or InitialWatch.
 * - InitialWatch: InitialWatch until all objects have come, then Watching; InitPage when the server refuses it or the watcher ends; Backoff when it fails.
 * - InitPage: InitPage while there are more pages, then InitListed.
 * - InitListed: Watching, from the revision of the list.
 * - Watching: Watching, after each event; Backoff when the watch ends or fails.
 * - Backoff: Watching, from the last known revision; Empty after a failed list, and when the revision has expired (410).
 */
export type WatcherState =
  /** Nothing has been listed. */
  | { readonly phase: 'Empty' }
  /** Some pages have been listed. `next` is the token of the next page, undefined for the first; `limit` its number of objects. */
  | { readonly phase: 'InitPage'; readonly next: string | undefined; readonly limit: number }
  /** All pages have been listed. */
  | { readonly phase: 'InitListed'; readonly resourceVersion: string }
  /** The watch sends the objects that there are. */
  | InitialWatch
  | Watching
  /**
   * Waiting after a watch that was open for `lasted` milliseconds; 0 = it could not be opened. Resumes from the revision; lists again if there is
   * none.
   */
  | { readonly phase: 'Backoff'; readonly lasted: number; readonly resourceVersion: string | undefined };

/** The state after a step, and the event of the step. */
interface WatcherStep {
  readonly state: WatcherState;
  readonly event?: WatcherEvent;
}

/** On the bookmark that follows the last of the objects that there were when a watch began. */
const initialEventsEnd = 'k8s.io/initial-events-end';
/** The statuses with which a server refuses a watch that begins with the objects. */
const refusals: ReadonlySet<number> = new Set([400, 422]);

/** The number of objects of the first page. Objects may be large: the metadata of one up to 1.5 MB. */
const firstPage = 20;
/** The most objects of a page. */
const largestPage = 500;
/** How large pages should be in bytes. The objects that are made of them take several times as much. */
const pageBytes = 8 * 1024 * 1024;

/**
 * Lists a resource and watches it from the revision of the list, or watches it with its initial state, through lost connections and expired revisions, one step at a time. Has no state of
 * its own: the caller passes the state from step to step. Follows `watcher` of kube-rs and the Reflector of client-go.
 */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #signal: AbortSignal;
  readonly #backoff: ReconnectBackoff;
  readonly #sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;

  /** The signal aborts watches and waits, but not a list. */
  constructor(options: WatcherOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#backoff = options.backoff ?? new ReconnectBackoff();
    this.#sleep = options.sleep ?? pause;
  }

  /** Executes the step of a state. Rejects on failure; `afterFailure` returns the state to continue with. */
  async step(state: WatcherState): Promise<WatcherStep> {
    switch (state.phase) {
      case 'Empty':
        return {
          state: this.#options.streamsInitialState === true ? this.#initialWatch() : listing,
          event: { type: 'Init' },
        };
      case 'InitialWatch':
        return this.#nextInitial(state);
      case 'InitPage':
        return this.#list(state.next, state.limit);
      case 'InitListed':
        return { state: this.#watch(state.resourceVersion), event: { type: 'InitDone' } };
      case 'Watching':
        return this.#next(state);
      case 'Backoff':
        // Also waits when the server ends watches normally right after they begin.
        await this.#sleep(this.#backoff.next(state.lasted), this.#signal);
        return { state: state.resourceVersion === undefined ? { phase: 'Empty' } : this.#watch(state.resourceVersion) };
    }
  }

  /** The state to continue with after a step from `state` failed, or after the caller failed to process its event. */
  async afterFailure(state: WatcherState, error: unknown): Promise<WatcherState> {
    const isExpired = isStatusError(error) && error.code === 410;
    const isOpen = state.phase === 'Watching' || state.phase === 'InitialWatch';
    // If closing the stream fails too, the error is the one already handled.
    if (isOpen) await state.stream.return(undefined).catch(() => undefined);
    if (state.phase === 'InitialWatch' && (this.#signal.aborted || isRefusal(error))) return listing;
    if (!isExpired && !this.#signal.aborted) this.#options.onError?.(error);
    if (state.phase !== 'Watching') return { phase: 'Backoff', lasted: 0, resourceVersion: undefined };
    return endOf(state, isExpired ? undefined : state.resourceVersion);
  }

  async #list(next: string | undefined, limit: number): Promise<WatcherStep> {
    const { client, resource, metadataOnly } = this.#options;
    const query = { ...this.#selectors(), limit, continue: next };
    let size = 0;
    const onSize = (bytes: number) => (size = bytes);
    const page = await client.list(resource, query, { ...readOptions(metadataOnly), onSize });
    const kind = page.kind.replace(/List$/, '');
    const objects = page.items.map((item) => ({ ...item, apiVersion: page.apiVersion, kind }));
    const { continue: token = '', resourceVersion = '' } = page.metadata;
    const state: WatcherState =
      token === ''
        ? { phase: 'InitListed', resourceVersion }
        : { phase: 'InitPage', next: token, limit: pageOf(page.items.length, size) };
    return { state, event: { type: 'InitPage', objects } };
  }

  #watch(resourceVersion: string): Watching {
    return { phase: 'Watching', resourceVersion, ...this.#open({ resourceVersion }) };
  }

  #initialWatch(): InitialWatch {
    const parameters = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    return { phase: 'InitialWatch', ...this.#open(parameters) };
  }

  /** The request is sent when the first event is read. */
  #open(parameters: Query): OpenWatch {
    const { client, resource, metadataOnly } = this.#options;
    const query: Query = { ...this.#selectors(), ...parameters, allowWatchBookmarks: true };
    const stream = client.watch(resource, query, this.#signal, readOptions(metadataOnly));
    return { stream, since: performance.now() };
  }

  async #nextInitial(state: InitialWatch): Promise<WatcherStep> {
    const { done, value: event } = await state.stream.next();
    if (done === true) return { state: this.#signal.aborted ? listing : endOf(state, undefined) };
    if (event.type === 'ERROR') throw new StatusError(event.object);
    const { type, object } = event;
    if (type === 'DELETED') return { state, event: { type: 'Delete', object } };
    if (type !== 'BOOKMARK') return { state, event: { type: 'InitPage', objects: [object] } };
    const { annotations = {}, resourceVersion = '' } = object.metadata;
    if (annotations[initialEventsEnd] !== 'true') return { state };
    return { state: { ...state, phase: 'Watching', resourceVersion }, event: { type: 'InitDone' } };
  }

  async #next(state: Watching): Promise<WatcherStep> {
    const { done, value: event } = await state.stream.next();
    if (done === true) return { state: endOf(state, state.resourceVersion) };
    if (event.type === 'ERROR') throw new StatusError(event.object);
    const { type, object } = event;
    const reached = { ...state, resourceVersion: object.metadata.resourceVersion ?? state.resourceVersion };
    if (type === 'BOOKMARK') return { state: reached };
    return { state: reached, event: { type: type === 'DELETED' ? 'Delete' : 'Apply', object } };
  }

  #selectors(): Query {
    return { labelSelector: this.#options.labelSelector, fieldSelector: this.#options.fieldSelector };
  }
}

/** How many objects the next page has when a page of so many had this size in bytes. */
const pageOf = (objects: number, size: number): number =>
  Math.max(1, Math.min(largestPage, Math.floor((objects * pageBytes) / Math.max(1, size))));

const listing: WatcherState = { phase: 'InitPage', next: undefined, limit: firstPage };

const isRefusal = (error: unknown): boolean => isStatusError(error) && refusals.has(error.code);

const endOf = ({ since }: OpenWatch, resourceVersion: string | undefined): WatcherState => ({
  phase: 'Backoff',
  lasted: performance.now() - since,
  resourceVersion,
});

const readOptions = (metadataOnly: boolean | undefined): ReadOptions =>
  metadataOnly === undefined ? {} : { metadataOnly };

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch(ignoreAbort);

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}
