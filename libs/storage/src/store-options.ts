import type { EtcdConnection, LeaseManager } from '@apichain/etcd-client';
import type { GroupResource } from '@apichain/meta';
import type { StorageMetrics } from './metrics.ts';
import type { StorageCodec } from './storage.ts';
import type { StoredView } from './stored-view.ts';
import type { ValueTransformer } from './transformer.ts';
import type { WatchQueueLimits } from './watch-queue.ts';

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
