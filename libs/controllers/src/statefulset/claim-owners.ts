import { type ControllerKind, controllerReference } from '@apichain/client';
import type { StatefulSet } from '@apichain/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import { type KubeObject, type OwnerReference, deepEqual } from '@apichain/meta';
import { isInRange, podKind, statefulSetKind } from './identity.ts';

/**
 * Who owns the claims of a StatefulSet: the garbage collector deletes a claim with its owner.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention
 */

/** Whether claims are deleted with the StatefulSet, and when it is scaled down. */
function retentionOf({ spec }: StatefulSet): { readonly whenDeleted: string; readonly whenScaled: string } {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return { whenDeleted, whenScaled };
}

const isNamed = (reference: OwnerReference, { apiVersion, kind }: ControllerKind, owner: KubeObject): boolean =>
  reference.apiVersion === apiVersion && reference.kind === kind && reference.name === owner.metadata.name;

/** Whether a reference is to a former object with the name of the owner. */
const isStale = (reference: OwnerReference, kind: ControllerKind, owner: KubeObject): boolean =>
  isNamed(reference, kind, owner) && reference.uid !== owner.metadata.uid;

const ownersOf = ({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] => metadata.ownerReferences ?? [];

/** Whether a claim is still that of a former pod with this name, and is about to be deleted with it. */
export const isClaimStale = (set: StatefulSet, claim: PersistentVolumeClaim, pod: Pod): boolean =>
  retentionOf(set).whenScaled !== 'Retain' && ownersOf(claim).some((reference) => isStale(reference, podKind, pod));

/** Whether something else controls a claim. Then the retention policy has no effect on it. */
export function hasOtherController(set: StatefulSet, claim: PersistentVolumeClaim, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = retentionOf(set);
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false;
  return ownersOf(claim).some((reference) => {
    for (const [kind, owner] of [
      [statefulSetKind, set],
      [podKind, pod],
    ] as const)
      if (isNamed(reference, kind, owner)) return reference.uid !== owner.metadata.uid;
    return reference.controller === true;
  });
}

/**
 * The owners that a claim is to have, or undefined if those that it has are right. Claims of former StatefulSets and pods are left alone.
 * Source: isClaimOwnerUpToDate and updateClaimOwnerRefForSetAndPod in k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_utils.go.
 */
export function claimOwners(set: StatefulSet, claim: PersistentVolumeClaim, pod: Pod): OwnerReference[] | undefined {
  const present = ownersOf(claim);
  const hasFormerOwner = present.some(
    (reference) => isStale(reference, statefulSetKind, set) || isStale(reference, podKind, pod),
  );
  if (hasFormerOwner) return undefined;
  const others = present.filter(
    (reference) => !isNamed(reference, statefulSetKind, set) && !isNamed(reference, podKind, pod),
  );
  const wanted = hasOtherController(set, claim, pod) ? others : [...others, ...ownOwners(set, pod)];
  return deepEqual([...present], wanted) ? undefined : wanted;
}

function ownOwners(set: StatefulSet, pod: Pod): OwnerReference[] {
  const { whenDeleted, whenScaled } = retentionOf(set);
  if (whenScaled === 'Delete' && !isInRange(set, pod)) return [controllerReference(podKind, pod)];
  return whenDeleted === 'Delete' ? [controllerReference(statefulSetKind, set)] : [];
}
