import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { type Quantity, compareText, labelSelectorFromObject, parseQuantity, quantityFromJson } from '@apichain/meta';
import { classOf } from '../volumes/class.ts';

const zero = parseQuantity('0');

/** The storage that a claim requests. */
export const requestedStorage = ({ spec }: PersistentVolumeClaim): Quantity =>
  quantityFromJson(spec?.resources?.requests?.['storage'] ?? '0');

/** The size of a volume. */
export function sizeOf({ spec }: PersistentVolume): Quantity {
  const storage = spec?.capacity?.['storage'];
  return storage === undefined ? zero : quantityFromJson(storage);
}

/** Whether a volume refers to a claim: by its name, and by its uid if the reference has one. */
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid = '' } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (uid === '' || uid === metadata.uid);
}

/** Whether both are file systems, or both are block devices. */
export const hasSameMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem');

const hasSameAttributes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '');

const hasAccessModes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode) === true);

/** Why a volume that a claim asks for by name cannot be bound to it, as the event says it; undefined if it can. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { name, deletionTimestamp } = volume.metadata;
  if (deletionTimestamp !== undefined) return `the volume is marked for deletion ${JSON.stringify(name)}`;
  if (sizeOf(volume).value() < requestedStorage(claim).value()) return 'requested PV is too small';
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  if (!hasSameAttributes(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!hasSameMode(volume, claim)) return 'incompatible volumeMode';
  return hasAccessModes(volume, claim) ? undefined : 'incompatible accessMode';
}

/** Whether a volume is free and is what a claim asks for. */
function isFree(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { spec, status, metadata } = volume;
  if (spec?.claimRef !== undefined || status?.phase !== 'Available') return false;
  const selector = claim.spec?.selector;
  return (
    (selector === undefined || labelSelectorFromObject(selector).matches(metadata.labels)) &&
    classOf(volume) === classOf(claim)
  );
}

/** Whether a volume may be bound to a claim at all, whoever has reserved it. */
const isSuitable = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  sizeOf(volume).compare(requestedStorage(claim)) >= 0 &&
  hasSameMode(volume, claim) &&
  hasSameAttributes(volume, claim) &&
  hasAccessModes(volume, claim) &&
  volume.metadata.deletionTimestamp === undefined;

/**
 * The volume that a claim is bound to: one that is reserved for it, or else the smallest that is free, of those with the fewest access modes. Free volumes
 * of a claim that waits for its first pod are left to the scheduler. Of volumes of the same size, the first by name is taken.
 * Source: FindMatchingVolume in k8s.io/component-helpers/storage/volume.
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  leaveToScheduler: boolean,
): PersistentVolume | undefined {
  const groups = Map.groupBy(
    volumes.filter((volume) => isSuitable(volume, claim)),
    ({ spec }) => (spec?.accessModes ?? []).toSorted().join(),
  );
  const modes = [...groups].toSorted(([a], [b]) => a.split(',').length - b.split(',').length || compareText(a, b));
  for (const [, group] of modes) {
    const reserved = group.find((volume) => isReservedFor(volume, claim));
    if (reserved !== undefined) return reserved;
    const free = leaveToScheduler ? [] : group.filter((volume) => isFree(volume, claim));
    const [smallest] = free.toSorted(
      (a, b) => sizeOf(a).compare(sizeOf(b)) || compareText(a.metadata.name ?? '', b.metadata.name ?? ''),
    );
    if (smallest !== undefined) return smallest;
  }
  return undefined;
}
