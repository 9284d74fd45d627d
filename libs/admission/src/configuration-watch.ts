import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@apichain/meta';
import type { SelectionPredicate, StoredObject } from '@apichain/storage';
import type { LookupStore } from './storage-lookup.ts';

const everything: SelectionPredicate = { matches: () => true, everything: true, exactFields: {} };
const firstRetryMs = 100;
const maxRetryMs = 5_000;

export interface ConfigurationWatchOptions {
  /** Undefined = the resource is not served: there is no configuration. */
  readonly store: LookupStore | undefined;
  /** The objects in order of their names; they are shared and not to be changed. Called after the first list and after every change. */
  readonly onChange: (objects: readonly KubeObject[]) => void;
  readonly onError?: (error: unknown) => void;
}

/**
 * Follows the objects that configure plugins (webhook configurations, policies, bindings) in the store itself, so that every server of the
 * chain hears of them without asking another server: no start waits for another, and no request passes admission on the way.
 */
export class ConfigurationWatch {
  readonly #options: ConfigurationWatchOptions;
  readonly #objects = new Map<string, KubeObject>();
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;

  constructor(options: ConfigurationWatchOptions) {
    this.#options = options;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }
  /** Resolves when the first list has been taken in. */
  waitForSync(): Promise<void> {
    return this.#synced.promise;
  }

  /** Lists, watches, and begins again when the watch ends, until `signal` aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      try {
        await this.#listAndWatch(signal);
        retryMs = firstRetryMs;
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError?.(error);
        retryMs = Math.min(retryMs * 2, maxRetryMs);
      }
      if (!signal.aborted) await delay(retryMs, undefined, { ref: false });
    }
  }

  async #listAndWatch(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    if (store === undefined) {
      this.#changed();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      return;
    }
    const directory = `${store.prefix}/`;
    const list = await store.storage.list(directory, {
      resourceVersion: '',
      limit: 0,
      continue: '',
      predicate: everything,
      signal,
    });
    this.#objects.clear();
    for (const item of list.items) this.#set(item);
    this.#changed();
    const stream = await store.storage.watch(directory, {
      resourceVersion: String(list.revision),
      predicate: everything,
      allowWatchBookmarks: false,
      prompt: true,
      signal,
    });
    for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
      for (const event of events) {
        if (event.type === 'ERROR') return;
        if (event.object === undefined) continue;
        if (event.type === 'DELETED') this.#objects.delete(event.object.key);
        else this.#set(event.object);
      }
      this.#changed();
    }
  }

  #set(item: StoredObject): void {
    this.#objects.set(item.key, item.parse());
  }

  #changed(): void {
    const ordered = [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    this.#options.onChange(ordered);
    this.#hasSynced = true;
    this.#synced.resolve();
  }
}
