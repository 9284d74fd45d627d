import type { PersistentVolumeClaim, Pod, Volume } from '@apichain/api/core/v1';
import { claimOf } from '@apichain/component-helpers';
import { controllerReference } from '../workloads/controller-reference.ts';

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
      name: claimOf(pod, volume)?.name ?? '',
      ownerReferences: [controllerReference({ apiVersion: 'v1', kind: 'Pod' }, pod)],
      ...(annotations !== undefined && { annotations }),
      ...(labels !== undefined && { labels }),
    },
    spec,
  };
}
