import type { GroupResource, KubeObject } from '@apichain/meta';

/**
 * Reads the objects that plugins base their decisions on (namespaces, priority classes, limit ranges, ...). Returned objects are shared by all
 * requests and must not be changed. The same version of a small object is usually the same JavaScript object, so derived data can be cached by it.
 */
export interface ObjectLookup {
  /** From the watch cache, which may be slightly stale. Undefined = there is no such object, or the resource is not served. */
  get(resource: GroupResource, namespace: string, name: string): Promise<KubeObject | undefined>;
  /** From the store. */
  live(resource: GroupResource, namespace: string, name: string): Promise<KubeObject | undefined>;
  /** From the store, as soon as it is created there. Undefined = the signal aborted before. */
  created(
    resource: GroupResource,
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined>;
  /** From the watch cache, ordered by key. `namespace` '' = all namespaces. */
  list(resource: GroupResource, namespace: string): Promise<readonly KubeObject[]>;
}

const core = (resource: string): GroupResource => ({ group: '', resource });
/** The resources that plugins look up. */
export const lookedUp = {
  namespaces: core('namespaces'),
  nodes: core('nodes'),
  pods: core('pods'),
  services: core('services'),
  endpointSlices: { group: 'discovery.k8s.io', resource: 'endpointslices' },
  limitRanges: core('limitranges'),
  resourceQuotas: core('resourcequotas'),
  serviceAccounts: core('serviceaccounts'),
  persistentVolumeClaims: core('persistentvolumeclaims'),
  persistentVolumes: core('persistentvolumes'),
  csiDrivers: { group: 'storage.k8s.io', resource: 'csidrivers' },
  priorityClasses: { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
  storageClasses: { group: 'storage.k8s.io', resource: 'storageclasses' },
  ingressClasses: { group: 'networking.k8s.io', resource: 'ingressclasses' },
  workloads: { group: 'scheduling.k8s.io', resource: 'workloads' },
  runtimeClasses: { group: 'node.k8s.io', resource: 'runtimeclasses' },
} as const;
