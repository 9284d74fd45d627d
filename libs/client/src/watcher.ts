import { setTimeout as delay } from 'node:timers/promises';
import { isStatusError, StatusError, type KubeObject } from '@apichain/meta';
import { ReconnectBackoff } from './reconnect-backoff.ts';
import type { ClientWatchEvent, Query, ReadOptions, ResourceReference, RestClient } from './rest-client.ts';

/** What a watcher follows, and how it goes about it. */
export interface WatcherOptions extends ReadOptions {
  readonly client: RestClient;
  readonly resource: ResourceReference;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Told of every failure but an expired revision; the watcher goes on with backoff. */
  readonly onError?: (error: unknown) => void;
  /** Instead of the usual times between attempts. */
  readonly backoff?: ReconnectBackoff;
  /** Instead of a timer; resolves early when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * What a watcher tells of the resource. A list begins with `Init`, has an `InitPage` for each page and ends with `InitDone`: an object that
 * was in none of its pages is gone. Changes follow one by one.
 */
export type WatcherEvent =
  | { readonly type: 'Init' }
  | { readonly type: 'InitPage'; readonly objects: readonly KubeObject[] }
  | { readonly type: 'InitDone' }
  | { readonly type: 'Apply'; readonly object: KubeObject }
  /** `object` as it last was. */
  | { readonly type: 'Delete'; readonly object: KubeObject };

interface Watching {
  readonly phase: 'Watching';
  /** Where a watch after this one goes on. */
  readonly resourceVersion: string;
  readonly stream: AsyncGenerator<ClientWatchEvent, unknown>;
  /** When the watch was asked for, in milliseconds of `performance.now()`. */
  readonly since: number;
}

/**
 * Where a watcher is, and what comes after it:
 *
 * - Empty: InitPage.
 * - InitPage: InitPage while there are more pages, then InitListed.
 * - InitListed: Watching, from the revision of the list.
 * - Watching: Watching, one event further; Backoff when the watch ends or fails.
 * - Backoff: Watching, from the last revision that is known; Empty after a failed list, and when the server forgot the revision (410).
 */
export type WatcherState =
  /** Nothing is known. */
  | { readonly phase: 'Empty' }
  /** Some pages have come; `next` is the token of the next one, undefined for the first. */
  | { readonly phase: 'InitPage'; readonly next: string | undefined }
  /** All pages have come. */
  | { readonly phase: 'InitListed'; readonly resourceVersion: string }
  | Watching
  /** After a watch that was open for `lasted` milliseconds, 0 = it was not; resumes from the revision, without one lists again. */
  | { readonly phase: 'Backoff'; readonly lasted: number; readonly resourceVersion: string | undefined };

/** The state after a step, and what to tell of it. */
export interface WatcherStep {
  readonly state: WatcherState;
  readonly event?: WatcherEvent;
}

const pageSize = 500;

/**
 * Lists a resource and watches it from there, over lost connections and expired revisions: one step of it at a time. It keeps nothing but its
 * state, which the caller passes from step to step. After `watcher` of kube-rs and the Reflector of client-go.
 */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #signal: AbortSignal;
  readonly #backoff: ReconnectBackoff;
  readonly #sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;

  /** The signal ends watches and pauses, not a list. */
  constructor(options: WatcherOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#backoff = options.backoff ?? new ReconnectBackoff();
    this.#sleep = options.sleep ?? pause;
  }

  /** Does what a state asks for. Rejects when that fails; `afterFailure` tells how to go on. */
  async step(state: WatcherState): Promise<WatcherStep> {
    switch (state.phase) {
      case 'Empty':
        return { state: { phase: 'InitPage', next: undefined }, event: { type: 'Init' } };
      case 'InitPage':
        return this.#list(state.next);
      case 'InitListed':
        return { state: this.#watch(state.resourceVersion), event: { type: 'InitDone' } };
      case 'Watching':
        return this.#next(state);
      case 'Backoff':
        // A server that ends watches in the regular way as soon as they begin is not asked without a pause either.
        await this.#sleep(this.#backoff.next(state.lasted), this.#signal);
        return { state: state.resourceVersion === undefined ? { phase: 'Empty' } : this.#watch(state.resourceVersion) };
    }
  }

  /** The state after a step from `state` failed, or after its event could not be taken in. */
  async afterFailure(state: WatcherState, error: unknown): Promise<WatcherState> {
    const isExpired = isStatusError(error) && error.code === 410;
    if (!isExpired && !this.#signal.aborted) this.#options.onError?.(error);
    if (state.phase !== 'Watching') return { phase: 'Backoff', lasted: 0, resourceVersion: undefined };
    // Its own failure, if it has one, is the one that is known already.
    await state.stream.return(undefined).catch(() => undefined);
    return endOf(state, isExpired ? undefined : state.resourceVersion);
  }

  async #list(next: string | undefined): Promise<WatcherStep> {
    const { client, resource, metadataOnly } = this.#options;
    const query = { ...this.#selectors(), limit: pageSize, continue: next };
    const page = await client.list(resource, query, readOptions(metadataOnly));
    const kind = page.kind.replace(/List$/, '');
    const objects = page.items.map((item) => ({ ...item, apiVersion: page.apiVersion, kind }));
    const { continue: token = '', resourceVersion = '' } = page.metadata;
    const state: WatcherState =
      token === '' ? { phase: 'InitListed', resourceVersion } : { phase: 'InitPage', next: token };
    return { state, event: { type: 'InitPage', objects } };
  }

  /** The request goes out when the first event is asked for. */
  #watch(resourceVersion: string): Watching {
    const { client, resource, metadataOnly } = this.#options;
    const query: Query = { ...this.#selectors(), resourceVersion, allowWatchBookmarks: true };
    const stream = client.watch(resource, query, this.#signal, readOptions(metadataOnly));
    return { phase: 'Watching', resourceVersion, stream, since: performance.now() };
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

const endOf = ({ since }: Watching, resourceVersion: string | undefined): WatcherState => ({
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
