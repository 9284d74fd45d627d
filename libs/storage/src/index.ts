export { createStore } from './cacher.ts';
export { jsonCodec, metadataAttributes } from './codec.ts';
export { encodeContinue } from './continue-token.ts';
export { deliveryRounds } from './delivery-rounds.ts';
export {
  FollowedObjects,
  type ObjectChanges,
  type ReadableStorage,
  type ResourceStore,
  type ResourceStores,
} from './followed-objects.ts';
export { LateStores } from './late-stores.ts';
export type { StorageMetrics } from './metrics.ts';
export { checkPreconditions } from './preconditions.ts';
export {
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
export { formatResource } from './store-options.ts';
export { EncodedObject } from './stored-object.ts';
export type { StoredView } from './stored-view.ts';
export {
  encryptionOf,
  hasPrefix,
  identityTransformer,
  storingPlain,
  type PlainValue,
  type ValueTransformer,
} from './transformer.ts';
