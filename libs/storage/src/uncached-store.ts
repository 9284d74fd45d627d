import { createLeaseManager } from '@apichain/etcd-client';
import { newTooLargeResourceVersion, type KubeObject } from '@apichain/meta';
import { narrowed, planUncachedList } from './list-plan.ts';
import { DirectWatches } from './direct-watches.ts';
import { EtcdStore } from './etcd-store.ts';
import { failedWatch } from './failed-watch.ts';
import { toDirectory } from './keys.ts';
import { openWatchQueue } from './open-watch-queue.ts';
import { parseListResourceVersion, parseResourceVersion } from './resource-version.ts';
import { formatResource, type StoreOptions } from './store-options.ts';
import {
  listEverything,
  type DeleteOptions,
  type GuaranteedUpdateOptions,
  type Storage,
  type StorageListOptions,
  type StorageWatchOptions,
  type StoredList,
  type StoredObject,
  type WatchStream,
} from './storage.ts';

/** Retry-After of a watch from a revision that does not exist yet is random, so that clients spread: 1 second plus fewer than this many. */
const retrySpread = 3;

/**
 * The Storage of one resource without a watch cache (events, and the resources chosen by `--watch-cache` and `--watch-cache-sizes`): etcd serves
 * every read and feeds every watch directly. Watches get no bookmarks except the one that ends the initial events, because nothing tracks the
 * progress of etcd here (k8s.io/apiserver/pkg/storage/etcd3/watcher.go).
 */
export class UncachedStore implements Storage {
  readonly #options: StoreOptions;
  readonly #root: string;
  readonly #name: string;
  readonly #store: EtcdStore;
  readonly #watches: DirectWatches;

  constructor(options: StoreOptions) {
    const { connection, codec, transformer, view } = options;
    this.#options = options;
    this.#root = toDirectory(options.directory);
    this.#name = formatResource(options.resource);
    this.#store = new EtcdStore({
      connection,
      codec,
      leases: options.leases ?? createLeaseManager(connection),
      transformer,
      view,
    });
    this.#watches = new DirectWatches(connection, this.#store);
  }

  create(key: string, object: KubeObject, options?: { ttlSeconds?: number }): Promise<StoredObject> {
    return this.#store.create(key, object, options);
  }

  async get(key: string, { resourceVersion }: { resourceVersion: string }): Promise<StoredObject> {
    return this.#store.get(key, parseListResourceVersion(resourceVersion));
  }

  async list(path: string, options: StorageListOptions): Promise<StoredList> {
    const { predicate } = options;
    const directory = narrowed({ root: this.#root, directory: toDirectory(path), predicate });
    const name = this.#singleName(directory, options);
    // A list of a single name is not paged.
    const plan = planUncachedList(name === undefined ? options : { ...options, limit: 0 });
    const listed = await this.#store.list(directory, plan, options, name);
    this.#options.metrics?.listed?.(this.#name, 'etcd', listed.items.length);
    return listed;
  }

  async watch(path: string, options: StorageWatchOptions): Promise<WatchStream> {
    const { resourceVersion, predicate, sendInitialEvents, signal } = options;
    const requested = parseResourceVersion(resourceVersion);
    if (sendInitialEvents === false && requested === 0) {
      return this.#watchFrom(path, options, await this.#store.currentRevision());
    }
    if (sendInitialEvents !== true && requested > 0) return this.#watchFrom(path, options, requested);
    const current = requested === 0 ? 0 : await this.#store.currentRevision();
    if (requested > current) {
      const seconds = 1 + Math.floor(Math.random() * retrySpread);
      return failedWatch(newTooLargeResourceVersion(requested, current, seconds), requested);
    }
    const list = await this.list(path, { ...listEverything, predicate, signal });
    const announceEnd = sendInitialEvents === true && options.allowWatchBookmarks;
    return this.#watchFrom(path, options, list.revision, { objects: list.items, announceEnd });
  }

  guaranteedUpdate(key: string, options: GuaranteedUpdateOptions): Promise<StoredObject> {
    return this.#store.guaranteedUpdate(key, options);
  }

  delete(key: string, options: DeleteOptions): Promise<StoredObject> {
    return this.#store.delete(key, options);
  }

  count(directory: string): Promise<number> {
    return this.#store.count(directory);
  }

  currentRevision(): Promise<number> {
    return this.#store.currentRevision();
  }

  cachedCopy(): undefined {
    return undefined;
  }

  close(): Promise<void> {
    this.#watches.finish();
    this.#options.onClose?.();
    return Promise.resolve();
  }

  /** The single name that can match in `directory`, when it determines one key; below the root there may be namespaces. */
  #singleName(directory: string, { predicate, continue: token }: StorageListOptions): string | undefined {
    const name = predicate.exactFields['metadata.name'];
    return directory === this.#root || token !== '' || name === '' ? undefined : name;
  }

  #watchFrom(
    path: string,
    options: StorageWatchOptions,
    revision: number,
    initial?: { objects: readonly StoredObject[]; announceEnd: boolean },
  ): Promise<WatchStream> {
    const watch = { directory: toDirectory(path), options, revision };
    const queue = openWatchQueue(this.#options, watch, (ended) => this.#watches.stop(ended));
    if (initial !== undefined) queue.start(initial.objects, initial.announceEnd);
    return this.#watches.feed(queue, revision);
  }
}
