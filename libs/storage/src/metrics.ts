/** What storage counts. Every member is optional; the caller maps them to whatever it exports. */
export interface StorageMetrics {
  /** One call to etcd ended. */
  etcdRequest?(operation: string, seconds: number, failed: boolean): void;
  /** A list without resourceVersion was served from the cache (`success`) or had to go to etcd (`fallback`). */
  consistentRead?(resource: string, outcome: 'success' | 'fallback'): void;
  /** Events that a watch cache took in from etcd. */
  eventsReceived?(resource: string, count: number): void;
  /** A watch was ended because its consumer fell too far behind. */
  watcherTerminated?(resource: string): void;
  /** A watch began (+1) or ended (-1). */
  watchers?(resource: string, change: 1 | -1): void;
  /** A watch cache was filled, for the first time or anew. */
  cacheInitialized?(resource: string): void;
}
