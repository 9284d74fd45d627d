import { deepEqual, isSet } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { Pod, Volume, VolumeProjection } from '@apichain/api/core/v1';
import { podSpec } from '../../pod-fields.ts';

/** Of pods that represent a static pod of a kubelet. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

function ownerProblem(pod: Pod, nodeName: string): string | undefined {
  const node = goQuote(nodeName);
  const owners = pod.metadata.ownerReferences ?? [];
  const [owner] = owners;
  if (owners.length > 1) return `node ${node} can only create pods with a single owner reference set to itself`;
  if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName) {
    return `node ${node} can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true) {
    return `node ${node} can only create pods with a controller owner reference set to itself`;
  }
  return owner.blockOwnerDeletion === true
    ? `node ${node} must not set blockOwnerDeletion on an owner reference`
    : undefined;
}

/** Fields of a pod with names that users choose, or of them, in which no other object is named. */
const withoutReferences: ReadonlySet<string> = new Set([
  'nodeSelector',
  'affinity',
  'topologySpreadConstraints',
  'resources',
  'overhead',
  'options',
]);

/** Whether a field with one of the names exists anywhere in the value. */
function mentions(value: unknown, names: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, names));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) =>
      (names.has(name) && isSet(member) && !(Array.isArray(member) && member.length === 0)) ||
      (!withoutReferences.has(name) && mentions(member, names)),
  );
}
const secrets = new Set([
  'secret',
  'secretRef',
  'secretKeyRef',
  'imagePullSecrets',
  'nodePublishSecretRef',
  'azureFile',
]);
const configMaps = new Set(['configMap', 'configMapRef', 'configMapKeyRef']);

const ofVolumes: readonly (readonly [source: keyof Volume, referenced: string])[] = [
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
];
const ofProjections: readonly (readonly [source: keyof VolumeProjection, referenced: string])[] = [
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
];

const firstOf = <T extends object>(value: T, table: readonly (readonly [source: keyof T, referenced: string])[]) =>
  table.find(([source]) => isSet(value[source]))?.[1];

/**
 * The kind of API object that a pod references, as refusals name it; undefined = none.
 * Source: HasAPIObjectReference of k8s.io/kubernetes/pkg/api/pod.
 */
export function referencedObjects(pod: Pod): string | undefined {
  const spec = podSpec(pod);
  if ((spec.serviceAccountName ?? '') !== '') return 'serviceaccounts';
  if (mentions(spec, secrets)) return 'secrets';
  if (mentions(spec, configMaps)) return 'configmaps';
  if ((spec.resourceClaims ?? []).length > 0) return 'resourceclaims';
  for (const volume of spec.volumes ?? []) {
    const found =
      firstOf(volume, ofVolumes) ??
      (volume.projected?.sources ?? [])
        .map((source) => firstOf(source, ofProjections))
        .find((referenced) => referenced !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why a node may not create the pod: it may create only its own mirror pods. */
export function mirrorPodProblem(pod: Pod, nodeName: string): string | undefined {
  const node = goQuote(nodeName);
  const spec = podSpec(pod);
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined) {
    return `pod does not have ${goQuote(mirrorAnnotation)} annotation, node ${node} can only create mirror pods`;
  }
  if ((spec.nodeName ?? '') !== nodeName) return `node ${node} can only create pods with spec.nodeName set to itself`;
  return ownerProblem(pod, nodeName);
}

/** Why a node may not write the status of the pod. */
export function podStatusProblem(pod: Pod, old: Pod, nodeName: string): string | undefined {
  const node = goQuote(nodeName);
  if ((podSpec(old).nodeName ?? '') !== nodeName) {
    return `node ${node} can only update pod status for pods with spec.nodeName set to itself`;
  }
  const labels = ({ metadata }: Pod) => JSON.stringify(Object.entries(metadata.labels ?? {}).toSorted());
  if (labels(pod) !== labels(old)) return `node ${node} cannot update labels through pod status`;
  const claims = ({ status }: Pod) =>
    JSON.stringify(
      (status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName]),
    );
  if (claims(pod) !== claims(old)) return `node ${node} cannot update resource claim statues`;
  const extended = ({ status }: Pod) => status?.extendedResourceClaimStatus ?? null;
  return deepEqual(extended(pod), extended(old))
    ? undefined
    : `node ${node} cannot update extended resource claim status`;
}
