import type { GroupResource } from '@apichain/meta';

/** Each controller with its older alias, if it has one. */
const names = `
  bootstrap-signer-controller bootstrapsigner
  cloud-node-lifecycle-controller cloud-node-lifecycle
  device-taint-eviction-controller
  kube-apiserver-serving-clustertrustbundle-publisher-controller
  legacy-serviceaccount-token-cleaner-controller legacy-service-account-token-cleaner
  node-ipam-controller nodeipam
  node-route-controller route
  podcertificaterequest-cleaner-controller
  resourceclaim-controller resource-claim-controller
  selinux-warning-controller
  service-cidr-controller
  service-lb-controller service
  storage-version-migrator-controller
  storageversion-garbage-collector-controller storage-version-gc
  validatingadmissionpolicy-status-controller
`;

/**
 * The names of kube-controller-manager's controllers that are not implemented here.
 * Source: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/
 */
const controllersElsewhere: ReadonlySet<string> = new Set(names.split(/\s+/).filter((name) => name !== ''));

/** The implemented controllers by their names in kube-controller-manager, each with the older alias that `--controllers` also accepts. */
const aliases = {
  'certificatesigningrequest-approving-controller': 'csrapproving',
  'certificatesigningrequest-cleaner-controller': 'csrcleaner',
  'certificatesigningrequest-signing-controller': 'csrsigning',
  'clusterrole-aggregation-controller': 'clusterrole-aggregation',
  'cronjob-controller': 'cronjob',
  'daemonset-controller': 'daemonset',
  'deployment-controller': 'deployment',
  'disruption-controller': 'disruption',
  'endpoints-controller': 'endpoint',
  'endpointslice-controller': 'endpointslice',
  'endpointslice-mirroring-controller': 'endpointslicemirroring',
  'ephemeral-volume-controller': 'ephemeral-volume',
  'garbage-collector-controller': 'garbagecollector',
  'horizontal-pod-autoscaler-controller': 'horizontalpodautoscaling',
  'job-controller': 'job',
  'namespace-controller': 'namespace',
  'node-lifecycle-controller': 'nodelifecycle',
  'persistentvolume-attach-detach-controller': 'attachdetach',
  'persistentvolume-binder-controller': 'persistentvolume-binder',
  'persistentvolume-expander-controller': 'persistentvolume-expander',
  'persistentvolume-protection-controller': 'pv-protection',
  'persistentvolumeclaim-protection-controller': 'pvc-protection',
  'pod-garbage-collector-controller': 'podgc',
  'replicaset-controller': 'replicaset',
  'replicationcontroller-controller': 'replicationcontroller',
  'resourcequota-controller': 'resourcequota',
  'root-ca-certificate-publisher-controller': 'root-ca-cert-publisher',
  'serviceaccount-controller': 'serviceaccount',
  'serviceaccount-token-controller': 'serviceaccount-token',
  'statefulset-controller': 'statefulset',
  'taint-eviction-controller': 'taint-eviction-controller',
  'token-cleaner-controller': 'tokencleaner',
  'ttl-after-finished-controller': 'ttl-after-finished',
  'ttl-controller': 'ttl',
  'volumeattributesclass-protection-controller': 'volumeattributesclass-protection-controller',
} as const;

/** The name of a controller, as in kube-controller-manager. */
export type ControllerName = keyof typeof aliases;

/** The names of all implemented controllers. */
export const controllerNames = Object.keys(aliases) as ControllerName[];

/**
 * The controllers that run workloads. `*` does not select them, because without nodes they only create pods that nobody runs, and because a
 * kube-controller-manager may stand beside the chain for them. A simulation of nodes selects them.
 */
const workloadControllers: ReadonlySet<ControllerName> = new Set<ControllerName>([
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'ephemeral-volume-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'node-lifecycle-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'replicationcontroller-controller',
  'resourcequota-controller',
  'statefulset-controller',
  'taint-eviction-controller',
  'ttl-controller',
]);

/** The controllers that `*` does not select: one as in kube-controller-manager, and the workload controllers. */
export const offByDefault: ReadonlySet<string> = new Set<ControllerName>([
  'token-cleaner-controller',
  ...workloadControllers,
]);

/** The resources without whose API a controller has nothing to do. */
const needed: ReadonlyMap<ControllerName, GroupResource> = new Map([
  ['cronjob-controller', { group: 'batch', resource: 'cronjobs' }],
  ['daemonset-controller', { group: 'apps', resource: 'daemonsets' }],
  ['deployment-controller', { group: 'apps', resource: 'deployments' }],
  ['disruption-controller', { group: 'policy', resource: 'poddisruptionbudgets' }],
  ['endpoints-controller', { group: '', resource: 'services' }],
  ['endpointslice-controller', { group: 'discovery.k8s.io', resource: 'endpointslices' }],
  ['endpointslice-mirroring-controller', { group: 'discovery.k8s.io', resource: 'endpointslices' }],
  ['ephemeral-volume-controller', { group: '', resource: 'pods' }],
  ['horizontal-pod-autoscaler-controller', { group: 'autoscaling', resource: 'horizontalpodautoscalers' }],
  ['job-controller', { group: 'batch', resource: 'jobs' }],
  ['node-lifecycle-controller', { group: '', resource: 'nodes' }],
  ['persistentvolume-attach-detach-controller', { group: 'storage.k8s.io', resource: 'volumeattachments' }],
  ['persistentvolume-binder-controller', { group: '', resource: 'persistentvolumeclaims' }],
  ['persistentvolume-expander-controller', { group: '', resource: 'persistentvolumeclaims' }],
  ['persistentvolume-protection-controller', { group: '', resource: 'persistentvolumes' }],
  ['persistentvolumeclaim-protection-controller', { group: '', resource: 'persistentvolumeclaims' }],
  ['pod-garbage-collector-controller', { group: '', resource: 'pods' }],
  ['replicaset-controller', { group: 'apps', resource: 'replicasets' }],
  ['replicationcontroller-controller', { group: '', resource: 'replicationcontrollers' }],
  ['resourcequota-controller', { group: '', resource: 'resourcequotas' }],
  ['statefulset-controller', { group: 'apps', resource: 'statefulsets' }],
  ['taint-eviction-controller', { group: '', resource: 'nodes' }],
  ['ttl-after-finished-controller', { group: 'batch', resource: 'jobs' }],
  ['ttl-controller', { group: '', resource: 'nodes' }],
  ['volumeattributesclass-protection-controller', { group: 'storage.k8s.io', resource: 'volumeattributesclasses' }],
]);

/**
 * The controllers that a list in the syntax of kube-controller-manager's `--controllers` selects: `*` selects all that are on by default,
 * `foo` selects one, `-foo` excludes one (together with `*`), `-*` selects none. An entry with a name takes precedence over `*`; of two
 * entries with the same name, the first counts. A controller of kube-controller-manager that is not implemented here may be excluded.
 * `serves` says which resources the chain serves (default: all). `*` does not select a controller whose resource is not served. Throws Error
 * that names an entry which is not a controller, or a controller that is selected by its name and whose resource is not served.
 * Source: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/
 */
export function selectControllers(
  list: readonly string[],
  serves: (resource: GroupResource) => boolean = () => true,
): ControllerName[] {
  const items = list.map((item) => item.trim()).filter((item) => item !== '');
  const problems = items.flatMap((item) => problemOf(item) ?? []);
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
  const idle = controllerNames.filter((name) => {
    const resource = needed.get(name);
    return resource !== undefined && !serves(resource);
  });
  const inVain = idle.find((name) => items.includes(name) || items.includes(aliases[name]));
  if (inVain !== undefined)
    throw new Error(`${JSON.stringify(inVain)} needs ${needed.get(inVain)?.resource}, which are not served`);
  return controllerNames.filter((name) => !idle.includes(name) && isEnabled(name, items));
}

/**
 * A list of `--controllers` in which `*` selects the workload controllers as well, where their resources are served: with nodes there is somebody to
 * run the pods. A list without `*` stays as it is.
 */
export function withWorkloadControllers(
  list: readonly string[],
  serves: (resource: GroupResource) => boolean = () => true,
): readonly string[] {
  const items = list.map((item) => item.trim());
  if (!items.includes('*')) return items;
  const isExcluded = (name: ControllerName) => items.includes(`-${name}`) || items.includes(`-${aliases[name]}`);
  const isServed = (name: ControllerName) => serves(needed.get(name) ?? { group: '', resource: 'pods' });
  return [...items, ...[...workloadControllers].filter((name) => !isExcluded(name) && isServed(name))];
}

function problemOf(item: string): string | undefined {
  const name = item.replace(/^-/, '');
  if (name === '*' || controllerNames.some((known) => known === name || aliases[known] === name)) return undefined;
  if (!controllersElsewhere.has(name)) return `${JSON.stringify(name)} is not in the list of known controllers`;
  return item === name ? `${JSON.stringify(name)} does not run here` : undefined;
}

function isEnabled(name: ControllerName, items: readonly string[]): boolean {
  for (const item of items) {
    if (item === name || item === aliases[name]) return true;
    if (item === `-${name}` || item === `-${aliases[name]}`) return false;
  }
  return items.includes('*') && !offByDefault.has(name);
}
