import type { EtcdConnection, LeaseManager, EtcdMetrics } from '@apichain/etcd-client';
import type { GroupResource } from '@apichain/meta';
import type { StorageCodec } from './storage.ts';
import type { StoredView } from './value-reader.ts';
import type { ValueTransformer } from './transformer.ts';
import type { WatchQueueLimits } from './watch-queue.ts';

/** The metrics of storage. Every member is optional; the caller maps the members to its own metrics. */
export interface StorageMetrics extends EtcdMetrics {
  /** A list without resourceVersion was served from the cache (`success`) or from etcd (`fallback`). */
  consistentRead?(resource: string, outcome: 'success' | 'fallback'): void;
  /** A read from the cache waited until the cache was fresh enough. */
  waitedForCache?(resource: string, seconds: number): void;
  /** A watch cache received events from etcd. */
  eventsReceived?(resource: string, count: number): void;
  /** A watch was ended because its consumer was too slow. */
  watcherTerminated?(resource: string): void;
  /** A watch began (+1) or ended (-1). */
  watchers?(resource: string, change: 1 | -1): void;
  /** A watch cache was filled with this number of objects, for the first time or again. */
  cacheInitialized?(resource: string, objects: number): void;
  /** A list was served. */
  listed?(resource: string, from: 'watchcache' | 'etcd', returned: number): void;
  /** A watch cache received a progress notification from etcd. */
  bookmark?(resource: string): void;
}

/** What a store of one resource needs, with a watch cache or without. */
export interface StoreOptions {
  readonly connection: EtcdConnection;
  /** The resource's root, e.g. `/pods/`: every key of the store is below it. */
  readonly directory: string;
  readonly codec: StorageCodec;
  /** The name of the resource in metrics. */
  readonly resource: GroupResource;
  /** Shared by all stores of a process. Default: a separate manager. */
  readonly leases?: LeaseManager;
  readonly transformer?: ValueTransformer;
  /** How objects are shown. Default: as they are stored; a value that cannot be read fails its list. */
  readonly view?: StoredView;
  readonly watchQueueLimits?: WatchQueueLimits;
  readonly metrics?: StorageMetrics;
  /** Called once the store has been closed. */
  readonly onClose?: () => void;
}

/** The name of a resource in metrics: `pods`, `deployments.apps`. */
export const formatResource = ({ group, resource }: GroupResource) =>
  group === '' ? resource : `${resource}.${group}`;
