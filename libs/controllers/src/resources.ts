/** The resources that several controllers read and write, with the types of their objects. */
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@apichain/api/apps/v1';
import type {
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Endpoints,
  Service,
  PersistentVolume,
} from '@apichain/api/core/v1';
import type { EndpointSlice } from '@apichain/api/discovery/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import type { ResourceReference } from '@apichain/client';

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

/** The resources of the controllers of endpoints. */
export const servicesOf: ResourceReference<Service> = { group: '', version: 'v1', resource: 'services' };
export const endpointsOf: ResourceReference<Endpoints> = { group: '', version: 'v1', resource: 'endpoints' };
export const slicesOf: ResourceReference<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
};

export const volumes: ResourceReference<PersistentVolume> = {
  group: '',
  version: 'v1',
  resource: 'persistentvolumes',
};
export const storageClasses: ResourceReference<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'storageclasses',
};
