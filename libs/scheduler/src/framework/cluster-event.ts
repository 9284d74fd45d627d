import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import type { ResourceClaim } from '@apichain/api/resource/v1';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment } from '@apichain/api/storage/v1';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

/** The kinds whose changes may make a pod schedulable. */
interface WatchedKinds {
  readonly Pod: Pod;
  readonly Node: Node;
  readonly PersistentVolume: PersistentVolume;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly StorageClass: StorageClass;
  readonly CSINode: CSINode;
  readonly CSIDriver: CSIDriver;
  readonly CSIStorageCapacity: CSIStorageCapacity;
  readonly VolumeAttachment: VolumeAttachment;
  readonly ResourceClaim: ResourceClaim;
}
export type WatchedKind = keyof WatchedKinds;

/** What has changed. `Update` registers for every update; as an event it is one that fits no finer action. */
export type Action =
  | 'Add'
  | 'Delete'
  | 'Update'
  | 'UpdateNodeAllocatable'
  | 'UpdateNodeLabel'
  | 'UpdateNodeTaint'
  | 'UpdateNodeCondition'
  | 'UpdateNodeAnnotation'
  | 'UpdateNodeDeclaredFeature'
  | 'UpdatePodLabel'
  | 'UpdatePodScaleDown'
  | 'UpdatePodToleration'
  | 'UpdatePodSchedulingGatesEliminated'
  | 'UpdatePodGeneratedResourceClaim';

/** An object before and after a change. */
export interface Change<Kind> {
  readonly before?: Kind;
  readonly after?: Kind;
}

/** A change in the cluster that may make pods schedulable. */
export interface ClusterEvent {
  readonly kind: WatchedKind;
  readonly action: Action;
  readonly change: Change<WatchedKinds[WatchedKind]>;
}

/** Whether the change may make a pod schedulable that the plugin rejected. */
type Hint<Kind> = (pod: PodInfo, change: Change<Kind>, cluster: Cluster) => boolean;

/** The events that a plugin waits for. */
export interface EventRegistration {
  readonly kind: WatchedKind;
  readonly actions: readonly Action[];
  /** Without it, every such event makes the pod worth another attempt. */
  readonly hint?: Hint<WatchedKinds[WatchedKind]> | undefined;
}

/** Registers for events of one kind. */
export const on = <Kind extends WatchedKind>(
  kind: Kind,
  actions: readonly Action[],
  hint?: Hint<WatchedKinds[Kind]>,
): EventRegistration => ({
  kind,
  actions,
  // An event of this kind has objects of this kind.
  hint,
});

/** Creates an event. */
export const clusterEvent = <Kind extends WatchedKind>(
  kind: Kind,
  action: Action,
  change: Change<WatchedKinds[Kind]>,
): ClusterEvent => ({ kind, action, change });

/** Whether a registration is for such events. */
export const isRegistered = ({ kind, actions }: EventRegistration, event: ClusterEvent): boolean =>
  kind === event.kind &&
  (actions.includes(event.action) || (event.action.startsWith('Update') && actions.includes('Update')));
