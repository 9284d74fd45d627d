/** The resources that tests of workloads use, with their group and version. */
const paths = {
  configmaps: '/v1',
  endpoints: '/v1',
  events: '/v1',
  nodes: '/v1 cluster',
  persistentvolumeclaims: '/v1',
  persistentvolumes: '/v1 cluster',
  pods: '/v1',
  replicationcontrollers: '/v1',
  resourcequotas: '/v1',
  services: '/v1',
  deployments: 'apps/v1',
  replicasets: 'apps/v1',
  statefulsets: 'apps/v1',
  horizontalpodautoscalers: 'autoscaling/v2',
  certificatesigningrequests: 'certificates.k8s.io/v1 cluster',
  cronjobs: 'batch/v1',
  jobs: 'batch/v1',
  leases: 'coordination.k8s.io/v1',
  endpointslices: 'discovery.k8s.io/v1',
  poddisruptionbudgets: 'policy/v1',
  storageclasses: 'storage.k8s.io/v1 cluster',
  volumeattachments: 'storage.k8s.io/v1 cluster',
  volumeattributesclasses: 'storage.k8s.io/v1 cluster',
} as const;

export type Resource = keyof typeof paths;

/** Group, version and scope of a resource. */
export function pathOf(resource: Resource): {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly isNamespaced: boolean;
} {
  const [path = '', scope] = paths[resource].split(' ');
  const [group = '', version = ''] = path.split('/');
  return { group, version, apiVersion: group === '' ? version : path, isNamespaced: scope === undefined };
}
