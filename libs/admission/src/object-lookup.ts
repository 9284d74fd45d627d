import type { GroupResource, KubeObject } from '@apichain/meta';

/**
 * The objects that plugins decide by (namespaces, priority classes, limit ranges, ...). What it answers is shared by all requests and
 * never to be changed; the same state of an object is the same JavaScript object, so that what is derived from it can be kept with it.
 */
export interface ObjectLookup {
  /** From the watch cache: it may be a moment behind. Undefined = there is none, or the resource is not served. */
  get(resource: GroupResource, namespace: string, name: string): Promise<KubeObject | undefined>;
  /** From the store itself. */
  live(resource: GroupResource, namespace: string, name: string): Promise<KubeObject | undefined>;
  /** From the watch cache, by key. `namespace` '' = the whole resource. */
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

/** A function of an object's state that is computed once for that state. */
export function oncePerObject<T>(compute: (object: KubeObject) => T): (object: KubeObject) => T {
  const known = new WeakMap<KubeObject, { readonly value: T }>();
  return (object) => {
    const present = known.get(object);
    if (present !== undefined) return present.value;
    const value = compute(object);
    known.set(object, { value });
    return value;
  };
}
