import type { EtcdMetrics } from '@apichain/etcd-client';

/** The metrics of storage. Every member is optional; the caller maps the members to its own metrics. */
export interface StorageMetrics extends EtcdMetrics {
  /** A list without resourceVersion was served from the cache (`success`) or from etcd (`fallback`). */
  consistentRead?(resource: string, outcome: 'success' | 'fallback'): void;
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
