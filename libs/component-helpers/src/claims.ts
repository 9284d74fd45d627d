import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@apichain/api/core/v1';

/**
 * The annotations by which the components that deal with storage understand each other.
 * https://kubernetes.io/docs/reference/labels-annotations-taints/
 */
export const storageAnnotations = {
  /** On a claim: it has been bound once. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On a claim or a volume: the controller has bound it, not a user. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On a volume: who made it. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  /** On a volume: its driver is a CSI driver by now. */
  migratedTo: 'pv.kubernetes.io/migrated-to',
  /** On a volume: its size before a change that a node has still to follow. */
  preResizeCapacity: 'volume.alpha.kubernetes.io/pre-resize-capacity',
  /** On a claim: the node of its first pod, as chosen by the scheduler. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On a claim: who shall make its volume. */
  provisioner: 'volume.kubernetes.io/storage-provisioner',
  betaProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  /** The older form of the field. */
  betaClass: 'volume.beta.kubernetes.io/storage-class',
  isDefaultClass: 'storageclass.kubernetes.io/is-default-class',
  betaIsDefaultClass: 'storageclass.beta.kubernetes.io/is-default-class',
} as const;

/** The name of the storage class of a claim or a volume; empty if it has none. The older annotation counts before the field. */
export const storageClassOf = ({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string =>
  metadata.annotations?.[storageAnnotations.betaClass] ?? spec?.storageClassName ?? '';

/** Whether the claim has its volume, and the controller of volumes has confirmed it. */
export const isFullyBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  (spec?.volumeName ?? '') !== '' && metadata.annotations?.[storageAnnotations.bindCompleted] !== undefined;

/** A claim that a volume of a pod names. */
interface NamedClaim {
  readonly name: string;
  /** Whether the claim is made for the pod and belongs to it. */
  readonly isEphemeral: boolean;
}

/** The claim of a volume of a pod; undefined for a volume of another kind. */
export function claimOf({ metadata }: Pod, volume: Volume): NamedClaim | undefined {
  const { persistentVolumeClaim, ephemeral, name = '' } = volume;
  if (persistentVolumeClaim !== undefined) return { name: persistentVolumeClaim.claimName ?? '', isEphemeral: false };
  return ephemeral === undefined ? undefined : { name: `${metadata.name ?? ''}-${name}`, isEphemeral: true };
}

/** The claims of a pod. */
export const claimsOf = (pod: Pod): readonly NamedClaim[] =>
  (pod.spec?.volumes ?? []).flatMap((volume) => claimOf(pod, volume) ?? []);

/** Why the claim of an ephemeral volume is not that of the pod; undefined if it is. */
export function foreignClaim({ metadata: pod }: Pod, { metadata: claim }: PersistentVolumeClaim): string | undefined {
  const isOwn = claim.ownerReferences?.some(({ controller, uid }) => controller === true && uid === pod.uid) === true;
  const { namespace = '', name = '' } = claim;
  return isOwn
    ? undefined
    : `PVC ${namespace}/${name} was not created for pod ${pod.namespace ?? ''}/${pod.name ?? ''} (pod is not owner)`;
}
