import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@apichain/api/apps/v1';
import type { Node, PersistentVolumeClaim, Pod, ReplicationController } from '@apichain/api/core/v1';
import type { ResourceReference } from '@apichain/client';

/** The resources that the workload controllers read and write, with the types of their objects. */

export const pods: ResourceReference<Pod> = { group: '', version: 'v1', resource: 'pods' };
export const nodes: ResourceReference<Node> = { group: '', version: 'v1', resource: 'nodes' };
export const claims: ResourceReference<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  resource: 'persistentvolumeclaims',
};
export const replicationControllers: ResourceReference<ReplicationController> = {
  group: '',
  version: 'v1',
  resource: 'replicationcontrollers',
};
export const replicaSets: ResourceReference<ReplicaSet> = { group: 'apps', version: 'v1', resource: 'replicasets' };
export const deployments: ResourceReference<Deployment> = { group: 'apps', version: 'v1', resource: 'deployments' };
export const daemonSets: ResourceReference<DaemonSet> = { group: 'apps', version: 'v1', resource: 'daemonsets' };
export const statefulSets: ResourceReference<StatefulSet> = { group: 'apps', version: 'v1', resource: 'statefulsets' };
export const controllerRevisions: ResourceReference<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  resource: 'controllerrevisions',
};
