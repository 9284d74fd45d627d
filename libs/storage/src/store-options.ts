import type { EtcdConnection, LeaseManager } from '@apichain/etcd-client';
import type { GroupResource } from '@apichain/meta';
import type { StorageMetrics } from './metrics.ts';
import type { RingLimits } from './ring.ts';
import type { StorageCodec } from './storage.ts';
import type { StoredView } from './stored-view.ts';
import type { ValueTransformer } from './transformer.ts';
import type { WatchQueueLimits } from './watch-queue.ts';

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
  /** False: etcd answers every read and feeds every watch directly. Default: true. */
  readonly watchCache?: boolean;
  /**
   * Whether the list of a part, e.g. of one namespace, fills the watch cache. If not, etcd answers it until something else has filled the cache: the first
   * look at a part of many objects is then quick. Default: true.
   */
  readonly partsFillCache?: boolean;
  /** How long a list or watch waits for the first filling of the cache, in milliseconds. Default: 5,000. */
  readonly fillTimeout?: number;
  /** Field labels to index lists and watches by, besides the name; e.g. `spec.nodeName`. */
  readonly indexFields?: readonly string[];
  readonly ringLimits?: RingLimits;
  readonly watchQueueLimits?: WatchQueueLimits;
  readonly metrics?: StorageMetrics;
  /** Called once the store has been closed. */
  readonly onClose?: () => void;
}

/** The name of a resource in metrics: `pods`, `deployments.apps`. */
export const formatResource = ({ group, resource }: GroupResource) =>
  group === '' ? resource : `${resource}.${group}`;
