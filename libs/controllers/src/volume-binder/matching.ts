import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import {
  claimSize,
  hasAccessModes,
  hasSameAttributes,
  hasSameMode,
  matchingVolume,
  storageClassOf,
  volumeSize,
} from '@apichain/component-helpers';
import { compareText } from '@apichain/meta';

/** Why a volume that a claim asks for by name cannot be bound to it, as the event says it; undefined if it can. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { name, deletionTimestamp } = volume.metadata;
  if (deletionTimestamp !== undefined) return `the volume is marked for deletion ${JSON.stringify(name)}`;
  if (volumeSize(volume).value() < claimSize(claim).value()) return 'requested PV is too small';
  if (storageClassOf(volume) !== storageClassOf(claim)) return 'storageClassName does not match';
  if (!hasSameAttributes(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!hasSameMode(volume, claim)) return 'incompatible volumeMode';
  return hasAccessModes(volume, claim) ? undefined : 'incompatible accessMode';
}

/**
 * The volume that a claim is bound to: of those with the fewest access modes, one that is reserved for it, or else the smallest that is free. Free volumes of
 * a claim that waits for its first pod are left to the scheduler.
 * Source: findByClaim in k8s.io/kubernetes/pkg/controller/volume/persistentvolume.
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  leaveToScheduler: boolean,
): PersistentVolume | undefined {
  const groups = Map.groupBy(
    volumes.filter((volume) => hasAccessModes(volume, claim)),
    ({ spec }) => (spec?.accessModes ?? []).toSorted().join(),
  );
  const modes = [...groups].toSorted(([a], [b]) => a.split(',').length - b.split(',').length || compareText(a, b));
  for (const [, group] of modes) {
    const best = matchingVolume(claim, group, { onlyReserved: leaveToScheduler });
    if (best !== undefined) return best;
  }
  return undefined;
}
