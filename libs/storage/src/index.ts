export {
  largeListBytes,
  whenAdmitted,
  type AdmitLargeList,
  type AwaitingPlace,
  type ListedCache,
} from './large-list.ts';
export { CacheEvent } from './cache-event.ts';
export { jsonCodec, metadataAttributes } from './codec.ts';
export { encodeContinue } from './continue-token.ts';
export { deliveryRounds } from './delivery-rounds.ts';
export { DirectWatches } from './direct-watches.ts';
export type { EtcdList } from './etcd-list.ts';
export { EtcdStore } from './etcd-store.ts';
export {
  everything,
  listEverything,
  KeyExistsError,
  KeyNotFoundError,
  PreconditionError,
  type CacheState,
  type DeleteOptions,
  type GuaranteedUpdateOptions,
  type ObjectAttributes,
  type Preconditions,
  type ReadDefaults,
  type SelectionPredicate,
  type Storage,
  type StorageCodec,
  type StorageListOptions,
  type StorageWatchOptions,
  type StoredForm,
  type StoredList,
  type StoredObject,
  type UpdateResult,
  type WatchEvent,
  type WatchEventType,
  type WatchStream,
} from './storage.ts';
export { failedWatch, tooOld } from './failed-watch.ts';
export {
  FollowedObjects,
  LateStores,
  type ObjectChanges,
  type ReadableStorage,
  type ResourceStore,
  type ResourceStores,
} from './followed-objects.ts';
export { toDirectory } from './keys.ts';
export { readingStored, readStored, readUid, storedJson, EncodedObject, readingAttributes } from './stored-object.ts';
export { narrowed, planList, type ListFreshness, type ListPlan } from './list-plan.ts';
export { type StorageMetrics, formatResource, type StoreOptions } from './store-options.ts';
export { openWatchQueue } from './open-watch-queue.ts';
export { checkPreconditions } from './preconditions.ts';
export { parseResourceVersion } from './resource-version.ts';
export { toStatusError } from './status-error.ts';
export type { StoredView } from './value-reader.ts';
export {
  encryptionOf,
  hasPrefix,
  identityTransformer,
  storingPlain,
  type PlainValue,
  type ValueTransformer,
} from './transformer.ts';
export { UncachedStore } from './uncached-store.ts';
export { defaultWatchQueueLimits, WatchQueue } from './watch-queue.ts';
