import type { ReplicaSet, StatefulSet } from '@apichain/api/apps/v1';
import type {
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  ReplicationController,
  Service,
} from '@apichain/api/core/v1';
import type { PodDisruptionBudget } from '@apichain/api/policy/v1';
import type { ResourceClaim } from '@apichain/api/resource/v1';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment } from '@apichain/api/storage/v1';
import { AssumableStore, ObjectStore } from './object-store.ts';

/** The objects besides nodes and pods by which the scheduler decides. */
export interface ClusterObjects {
  readonly namespaces: ObjectStore<Namespace>;
  readonly services: ObjectStore<Service>;
  readonly replicationControllers: ObjectStore<ReplicationController>;
  readonly replicaSets: ObjectStore<ReplicaSet>;
  readonly statefulSets: ObjectStore<StatefulSet>;
  readonly podDisruptionBudgets: ObjectStore<PodDisruptionBudget>;
  readonly persistentVolumes: AssumableStore<PersistentVolume>;
  readonly persistentVolumeClaims: AssumableStore<PersistentVolumeClaim>;
  readonly storageClasses: ObjectStore<StorageClass>;
  readonly csiNodes: ObjectStore<CSINode>;
  readonly csiDrivers: ObjectStore<CSIDriver>;
  readonly csiStorageCapacities: ObjectStore<CSIStorageCapacity>;
  readonly volumeAttachments: ObjectStore<VolumeAttachment>;
  readonly resourceClaims: ObjectStore<ResourceClaim>;
}

export const newClusterObjects = (): ClusterObjects => ({
  namespaces: new ObjectStore(),
  services: new ObjectStore(),
  replicationControllers: new ObjectStore(),
  replicaSets: new ObjectStore(),
  statefulSets: new ObjectStore(),
  podDisruptionBudgets: new ObjectStore(),
  persistentVolumes: new AssumableStore(),
  persistentVolumeClaims: new AssumableStore(),
  storageClasses: new ObjectStore(),
  csiNodes: new ObjectStore(),
  csiDrivers: new ObjectStore(),
  csiStorageCapacities: new ObjectStore(),
  volumeAttachments: new ObjectStore(),
  resourceClaims: new ObjectStore(),
});
