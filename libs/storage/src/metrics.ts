/** What storage counts. Every member is optional; the caller maps them to whatever it exports. */
export interface StorageMetrics {
  /** Who counts calls to etcd for a resource (`deployments.apps`; empty = for none); asked once for each. */
  etcdRequests?(resource: string): EtcdRequestCounter;
  /** A list without resourceVersion was served from the cache (`success`) or had to go to etcd (`fallback`). */
  consistentRead?(resource: string, outcome: 'success' | 'fallback'): void;
  /** Events that a watch cache took in from etcd. */
  eventsReceived?(resource: string, count: number): void;
  /** A watch was ended because its consumer fell too far behind. */
  watcherTerminated?(resource: string): void;
  /** A watch began (+1) or ended (-1). */
  watchers?(resource: string, change: 1 | -1): void;
  /** A watch cache was filled with so many objects, for the first time or anew. */
  cacheInitialized?(resource: string, objects: number): void;
  /** A list was served. */
  listed?(resource: string, from: 'watchcache' | 'etcd', returned: number): void;
  /** etcd told a watch cache how far it has come. */
  bookmark?(resource: string): void;
}

/** One call ended; `operation` as kube-apiserver names them: get, list, listWithCount, create, update, delete. */
export type EtcdRequestCounter = (operation: string, seconds: number, failed: boolean) => void;
