export * from './storage.ts';
export * from './transformer.ts';
export { jsonCodec, metadataAttributes, type JsonCodecOptions } from './codec.ts';
export { connectEtcd, type EtcdConnection, type EtcdOptions } from './etcd-client.ts';
export type { EtcdCredentials } from './etcd-credentials.ts';
export { EtcdError } from './etcd-error.ts';
export { checkPreconditions } from './preconditions.ts';
export { putIfAbsent } from './etcd-txn.ts';
export { createWatch, rangeOp, putOp } from './requests.ts';
export { EtcdStore, type EtcdStoreOptions } from './etcd-store.ts';
export { createLeaseManager, type LeaseManager, type LeaseManagerOptions } from './lease-manager.ts';
export { createStore } from './cacher.ts';
export { formatResource, type StoreOptions } from './store-options.ts';
export type { EtcdRequestCounter, StorageMetrics } from './metrics.ts';
export { defaultRingLimits, type RingLimits } from './ring.ts';
export { defaultWatchQueueLimits, type WatchQueueLimits } from './watch-queue.ts';
export { startCompactor, type Compactor } from './compactor.ts';
export * from './encryption/index.ts';
export { DeliveryRounds } from './delivery-rounds.ts';
export { LateStores } from './late-stores.ts';
export {
  FollowedObjects,
  type FollowedObjectsOptions,
  type ObjectChanges,
  type ResourceStore,
  type ResourceStores,
} from './followed-objects.ts';
