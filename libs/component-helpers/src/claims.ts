import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@apichain/api/core/v1';
import { storageAnnotations } from './storage-annotations.ts';

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
