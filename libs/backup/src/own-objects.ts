import type { KubeObject } from '@apichain/meta';
import { resourceName, type StoredPlace } from './stored-resources.ts';

/** Resources whose objects a cluster makes itself, from others or to keep its own state. */
const ofCluster: ReadonlySet<string> = new Set([
  'certificatesigningrequests.certificates.k8s.io',
  'controllerrevisions.apps',
  'csinodes.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'endpoints',
  'endpointslices.discovery.k8s.io',
  'events',
  'ipaddresses.networking.k8s.io',
  'leasecandidates.coordination.k8s.io',
  'leases.coordination.k8s.io',
  'nodes',
  'servicecidrs.networking.k8s.io',
  'storageversions.internal.apiserver.k8s.io',
  'volumeattachments.storage.k8s.io',
]);

/** Objects that every cluster has, as `RESOURCE NAMESPACE/NAME`. */
const inEveryCluster: ReadonlySet<string> = new Set([
  'configmaps kube-system/extension-apiserver-authentication',
  'configmaps kube-system/kube-apiserver-legacy-service-account-token-tracking',
  'namespaces /default',
  'namespaces /kube-node-lease',
  'namespaces /kube-public',
  'namespaces /kube-system',
  'services default/kubernetes',
]);

/** Objects that every namespace has. */
const inEveryNamespace: ReadonlySet<string> = new Set(['configmaps kube-root-ca.crt', 'serviceaccounts default']);

/** Marks of objects that API servers create and update by themselves. */
const marks: readonly ((object: KubeObject) => boolean)[] = [
  ({ metadata }) => metadata.labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults',
  ({ metadata }) => metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'] !== undefined,
  ({ metadata }) => metadata.annotations?.['apf.kubernetes.io/autoupdate-spec'] !== undefined,
  ({ kind, metadata }) => kind === 'PriorityClass' && metadata.name?.startsWith('system-') === true,
  ({ kind, type }) => kind === 'Secret' && type === 'kubernetes.io/service-account-token',
];

/** Whether a cluster makes an object of this place itself. */
export function isMadeByCluster({ resource, namespace, name }: StoredPlace): boolean {
  const of = resourceName(resource);
  return ofCluster.has(of) || inEveryCluster.has(`${of} ${namespace}/${name}`) || inEveryNamespace.has(`${of} ${name}`);
}

/** Whether a controller or a server makes this object again when it is missing. */
export const isMadeAgain = (object: KubeObject): boolean =>
  object.metadata.ownerReferences?.some(({ controller }) => controller === true) === true ||
  marks.some((isMarked) => isMarked(object));
