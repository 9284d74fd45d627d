import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import type { ObjectStore } from '../cluster/object-store.ts';

/** On a claim: the node for which its volume is to be provisioned. https://kubernetes.io/docs/reference/labels-annotations-taints/#volume-kubernetes-io-selected-node */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';
/** On a claim: its binding is complete. */
const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed';
/** On a volume: a controller, not its author, has chosen the claim. */
export const boundByControllerAnnotation = 'pv.kubernetes.io/bound-by-controller';
const betaStorageClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** The name of the class of a claim or a volume; empty if it has none. */
export const classNameOf = ({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string =>
  metadata.annotations?.[betaStorageClassAnnotation] ?? spec?.storageClassName ?? '';

/** Whether the claim has its volume, and the controller of volumes has confirmed it. */
export const isFullyBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  (spec?.volumeName ?? '') !== '' && metadata.annotations?.[bindCompletedAnnotation] !== undefined;

/** Whether the volume of the claim is chosen when a pod that uses it is scheduled. Throws Error for an incomplete class. */
export function waitsForConsumer(claim: PersistentVolumeClaim, classes: ObjectStore<StorageClass>): boolean {
  const name = classNameOf(claim);
  const storageClass = name === '' ? undefined : classes.get(name);
  if (storageClass === undefined) return false;
  if (storageClass.volumeBindingMode === undefined)
    throw new Error(`VolumeBindingMode not set for StorageClass "${name}"`);
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
}

/** A claim that a volume of a pod names. */
export interface NamedClaim {
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

/** The message of a lister for an object that does not exist. */
export const notFound = (resource: string, name: string): string => `${resource} "${name}" not found`;
