import type { Pod } from '@apichain/api/core/v1';

/** The name of the claim for a volume of a pod, whether the pod names it or it is made for the pod; undefined for other volumes. */
export function claimNameOf(
  pod: Pod,
  volume: NonNullable<NonNullable<Pod['spec']>['volumes']>[number],
): string | undefined {
  if (volume.ephemeral !== undefined) return `${pod.metadata.name}-${volume.name}`;
  return volume.persistentVolumeClaim?.claimName;
}

/** Finds pods by the keys of their claims, `namespace/name`. */
export const byClaim = (pod: Pod): readonly string[] =>
  (pod.spec?.volumes ?? []).flatMap((volume) => {
    const name = claimNameOf(pod, volume);
    return name === undefined ? [] : [`${pod.metadata.namespace}/${name}`];
  });

/** Whether all containers of a pod have ended for good. */
export const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';
