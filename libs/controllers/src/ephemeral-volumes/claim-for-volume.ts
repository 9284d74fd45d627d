import type { PersistentVolumeClaim, Pod, Volume } from '@apichain/api/core/v1';
import { claimNameOf } from '../volumes/pod-claims.ts';
import { controllerReference, isControlledBy } from '../workloads/controller-reference.ts';

/** Whether a pod has volumes whose claims live as long as the pod. */
export const hasEphemeralVolumes = ({ spec }: Pod): boolean =>
  spec?.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true;

/** The claim to make for an ephemeral volume of a pod. */
export function claimFor(pod: Pod, volume: Volume): PersistentVolumeClaim {
  const { metadata, spec = {} } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const { annotations, labels } = metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimNameOf(pod, volume) ?? '',
      ownerReferences: [controllerReference({ apiVersion: 'v1', kind: 'Pod' }, pod)],
      ...(annotations !== undefined && { annotations }),
      ...(labels !== undefined && { labels }),
    },
    spec,
  };
}

/** Why a claim that exists cannot be that of an ephemeral volume; undefined if it is. */
export function foreignClaimProblem(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  if (isControlledBy(claim, pod)) return undefined;
  const [claimKey, podKey] = [claim, pod].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return `PVC ${claimKey} was not created for pod ${podKey} (pod is not owner)`;
}
