import { HistoryLostError, isStatusError, StatusError, type KubeObject } from '@apichain/meta';
import { listPages } from './list-pages.ts';
import type { ClientWatchEvent, Query, ReadOptions, ResourceReference, RestClient } from './rest-client.ts';

/** The resource that is listed and watched, and how. */
export interface ListWatchOptions extends ReadOptions {
  readonly client: RestClient;
  readonly resource: ResourceReference;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Whether the watch itself begins with the objects, which saves the list and does not hold pages of objects. A server that refuses it is asked for lists. Not for
   * servers before Kubernetes 1.27, which ignore the request. https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
   */
  readonly streamsInitialState?: boolean;
}

/**
 * The events of a list and of watches. A list begins with `Init`, has an `InitPage` for each page, or for each object of a watch that begins with them, and ends with
 * `InitDone`: objects that were in none of its pages have been deleted. After that, changes follow one by one.
 */
export type ListWatchEvent =
  | { readonly type: 'Init' }
  | { readonly type: 'InitPage'; readonly objects: readonly KubeObject[] }
  | { readonly type: 'InitDone' }
  | { readonly type: 'Apply'; readonly object: KubeObject }
  /** `object` in its last state. */
  | { readonly type: 'Delete'; readonly object: KubeObject }
  /** Nothing has changed since the last event. */
  | { readonly type: 'Bookmark' };

/** Keeps what is listed and watched. */
export interface ListWatchConsumer {
  /** With this event everything up to `resourceVersion` has been given. It is undefined within a list. */
  take(event: ListWatchEvent, resourceVersion?: string): void;
  /** Resolves when a change that has arrived may be taken; undefined: at once. */
  permit(): Promise<void> | undefined;
}

type WatchStream = AsyncGenerator<ClientWatchEvent, unknown>;

/** On the bookmark that follows the last of the objects that there were when a watch began. */
const initialEventsEnd = 'k8s.io/initial-events-end';
/** The statuses with which a server refuses a watch that begins with the objects. */
const refusals: ReadonlySet<number> = new Set([400, 422]);

const taken = { ADDED: 'Apply', MODIFIED: 'Apply', DELETED: 'Delete', BOOKMARK: 'Bookmark' } as const;

/**
 * What a reflector needs of a resource: lists it and watches it from the revision of the list, or watches it with its initial state. Follows the
 * ListWatch of client-go.
 */
export class ListWatch {
  readonly #options: ListWatchOptions;
  readonly #consumer: ListWatchConsumer;
  readonly #signal: AbortSignal;
  #resourceVersion = '';
  /** The watch that began with the objects, until it is followed. */
  #begun: WatchStream | undefined;

  /** The signal aborts watches, but not a list: callers may be waiting for it. */
  constructor(options: ListWatchOptions, consumer: ListWatchConsumer, signal: AbortSignal) {
    this.#options = options;
    this.#consumer = consumer;
    this.#signal = signal;
  }

  async list(): Promise<void> {
    this.#consumer.take({ type: 'Init' });
    this.#begun = this.#options.streamsInitialState === true ? await this.#initialWatch() : undefined;
    if (this.#begun !== undefined) return;
    const { client, resource, metadataOnly } = this.#options;
    const pages = listPages((query, onSize) =>
      client.list(resource, { ...this.#selectors(), ...query }, { metadataOnly, onSize }),
    );
    for await (const { objects, resourceVersion } of pages) {
      this.#consumer.take({ type: 'InitPage', objects });
      this.#resourceVersion = resourceVersion;
    }
    this.#consumer.take({ type: 'InitDone' }, this.#resourceVersion);
  }

  /** A change that the consumer fails to take is not given to it again. */
  async watch(): Promise<void> {
    const stream = this.#begun ?? this.#open({ resourceVersion: this.#resourceVersion });
    this.#begun = undefined;
    for await (const event of stream) {
      if (event.type === 'ERROR') throw new StatusError(event.object);
      const { type, object } = event;
      this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
      const permit = type === 'BOOKMARK' ? undefined : this.#consumer.permit();
      if (permit !== undefined) await permit;
      this.#consumer.take({ type: taken[type], object }, this.#resourceVersion);
    }
  }

  /** Takes the objects from a watch. Returns undefined when the server refuses it or the signal aborts: they are then listed. */
  async #initialWatch(): Promise<WatchStream | undefined> {
    const stream = this.#open({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' });
    try {
      while (!(await this.#takeInitial(stream)));
      return stream;
    } catch (error) {
      // If closing the stream fails too, the error is the one already handled.
      await stream.return(undefined).catch(() => undefined);
      if (this.#signal.aborted || (isStatusError(error) && refusals.has(error.code))) return undefined;
      throw error;
    }
  }

  /** Returns whether all objects have come. */
  async #takeInitial(stream: WatchStream): Promise<boolean> {
    const { done, value: event } = await stream.next();
    if (done === true) throw new HistoryLostError('the watch ended before it had sent all objects');
    if (event.type === 'ERROR') throw new StatusError(event.object);
    const { type, object } = event;
    if (type === 'DELETED') this.#consumer.take({ type: 'Delete', object });
    else if (type !== 'BOOKMARK') this.#consumer.take({ type: 'InitPage', objects: [object] });
    else if (object.metadata.annotations?.[initialEventsEnd] === 'true') {
      this.#resourceVersion = object.metadata.resourceVersion ?? '';
      this.#consumer.take({ type: 'InitDone' }, this.#resourceVersion);
      return true;
    }
    return false;
  }

  /** The request is sent when the first event is read. */
  #open(parameters: Query): WatchStream {
    const { client, resource, metadataOnly } = this.#options;
    const query: Query = { ...this.#selectors(), ...parameters, allowWatchBookmarks: true };
    return client.watch(resource, query, this.#signal, { metadataOnly });
  }

  #selectors(): Query {
    return { labelSelector: this.#options.labelSelector, fieldSelector: this.#options.fieldSelector };
  }
}
