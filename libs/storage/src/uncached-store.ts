import type { KubeObject } from '@apichain/meta';
import { DirectWatch } from './direct-watch.ts';
import { toStatusError } from './etcd-error.ts';
import { EtcdStore } from './etcd-store.ts';
import { toDirectory } from './keys.ts';
import { createLeaseManager } from './lease-manager.ts';
import { planList } from './list-plan.ts';
import { parseResourceVersion } from './resource-version.ts';
import { formatResource, type StoreOptions } from './store-options.ts';
import type {
  DeleteOptions,
  GuaranteedUpdateOptions,
  Storage,
  StorageListOptions,
  StorageWatchOptions,
  StoredList,
  StoredObject,
  WatchStream,
} from './storage.ts';
import { WatchQueue } from './watch-queue.ts';

/** How often bookmarks that are due are looked for, in milliseconds. */
const bookmarkCheck = 1_000;

/** The Storage of one resource without a watch cache (`--watch-cache=false`): etcd answers every read and feeds every watch. */
export class UncachedStore implements Storage {
  private readonly options: StoreOptions;
  private readonly store: EtcdStore;
  private readonly watches = new Map<WatchQueue, DirectWatch>();
  private bookmarkTimer: NodeJS.Timeout | undefined;

  constructor(options: StoreOptions) {
    const { connection, codec, transformer } = options;
    this.options = options;
    this.store = new EtcdStore({
      connection,
      codec,
      leases: options.leases ?? createLeaseManager(connection),
      ...(transformer === undefined ? {} : { transformer }),
    });
  }

  create(key: string, object: KubeObject, options?: { ttlSeconds?: number }): Promise<StoredObject> {
    return this.store.create(key, object, options);
  }

  async get(key: string, { resourceVersion }: { resourceVersion: string }): Promise<StoredObject> {
    return this.store.get(key, parseResourceVersion(resourceVersion));
  }

  async list(path: string, options: StorageListOptions): Promise<StoredList> {
    return this.store.list(toDirectory(path), planList(options), options.predicate);
  }

  async watch(path: string, options: StorageWatchOptions): Promise<WatchStream> {
    const { resourceVersion, predicate, sendInitialEvents, signal } = options;
    const requested = parseResourceVersion(resourceVersion);
    if (sendInitialEvents === false && requested === 0) {
      return this.watchFrom(path, options, await this.store.currentRevision());
    }
    if (sendInitialEvents !== true && requested > 0) return this.watchFrom(path, options, requested);
    const list = await this.list(path, { resourceVersion, limit: 0, continue: '', predicate, signal });
    const announceEnd = sendInitialEvents === true && options.allowWatchBookmarks;
    return this.watchFrom(path, options, list.revision, { objects: list.items, announceEnd });
  }

  guaranteedUpdate(key: string, options: GuaranteedUpdateOptions): Promise<StoredObject> {
    return this.store.guaranteedUpdate(key, options);
  }

  delete(key: string, options: DeleteOptions): Promise<StoredObject> {
    return this.store.delete(key, options);
  }

  count(directory: string): Promise<number> {
    return this.store.count(directory);
  }

  currentRevision(): Promise<number> {
    return this.store.currentRevision();
  }

  cachedCopy(): undefined {
    return undefined;
  }

  close(): Promise<void> {
    for (const watcher of [...this.watches.keys()]) watcher.finish();
    clearInterval(this.bookmarkTimer);
    this.options.onClose?.();
    return Promise.resolve();
  }

  private async watchFrom(
    path: string,
    options: StorageWatchOptions,
    revision: number,
    initial?: { objects: readonly StoredObject[]; announceEnd: boolean },
  ): Promise<WatchStream> {
    const queue = this.newQueue(toDirectory(path), options, revision);
    if (initial !== undefined) queue.start(initial.objects, initial.announceEnd);
    const direct = new DirectWatch(this.options.connection, this.store, queue);
    this.watches.set(queue, direct);
    this.keepHouse();
    try {
      await direct.start(revision);
    } catch (error) {
      queue.stop();
      throw toStatusError(error);
    }
    if (queue.isEnded) direct.stop();
    return queue;
  }

  private newQueue(directory: string, options: StorageWatchOptions, revision: number): WatchQueue {
    const { metrics, resource, watchQueueLimits } = this.options;
    const name = formatResource(resource);
    metrics?.watchers?.(name, 1);
    const onEnd = (queue: WatchQueue, tooSlow: boolean) => {
      this.watches.get(queue)?.stop();
      this.watches.delete(queue);
      metrics?.watchers?.(name, -1);
      if (tooSlow) metrics?.watcherTerminated?.(name);
    };
    return new WatchQueue(directory, options, revision, onEnd, watchQueueLimits);
  }

  private keepHouse(): void {
    this.bookmarkTimer ??= setInterval(() => {
      const now = Date.now();
      for (const watcher of this.watches.keys()) watcher.offerBookmark(watcher.revision, now);
    }, bookmarkCheck).unref();
  }
}
