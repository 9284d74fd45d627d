import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { storageAnnotations } from '@apichain/component-helpers';
import { type KubeObject, deepEqual, quantityFromJson } from '@apichain/meta';

/** An object with further annotations. */
export const withAnnotations = <Kind extends KubeObject>(
  object: Kind,
  more: Readonly<Record<string, string>>,
): Kind => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...more } },
});

const isAnnotated = ({ metadata }: KubeObject, name: string): boolean => metadata.annotations?.[name] !== undefined;

/** A volume that is free again, or, if a user has reserved it, that waits for the claim. */
export function volumeUnbound(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (!isAnnotated(volume, storageAnnotations.boundByController)) {
    const { uid: _, ...reference } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: reference } };
  }
  const { annotations: all = {}, ...metadata } = volume.metadata;
  const { [storageAnnotations.boundByController]: _, ...rest } = all;
  const hasOthers = Object.keys(rest).length > 0;
  return { ...volume, metadata: { ...metadata, ...(hasOthers && { annotations: rest }) }, spec };
}

/** A claim that names a volume and is marked as bound. The claim itself if it is so already. */
export function claimBoundTo(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { name = '' } = volume.metadata;
  const isNamed = claim.spec?.volumeName === name;
  if (isNamed && isAnnotated(claim, storageAnnotations.bindCompleted)) return claim;
  const named = isNamed ? claim : { ...claim, spec: { ...claim.spec, volumeName: name } };
  return withAnnotations(named, {
    ...(!isNamed &&
      !isAnnotated(claim, storageAnnotations.boundByController) && { [storageAnnotations.boundByController]: 'yes' }),
    [storageAnnotations.bindCompleted]: 'yes',
  });
}

type ClaimStatus = NonNullable<PersistentVolumeClaim['status']>;

/** The status of a claim that is bound to a volume. Throws Error if the volume has no size. */
export function boundStatus({ status = {} }: PersistentVolumeClaim, volume: PersistentVolume): ClaimStatus {
  const { accessModes, capacity, volumeAttributesClassName } = volume.spec ?? {};
  const bound: ClaimStatus = { ...status, phase: 'Bound', ...(accessModes !== undefined && { accessModes }) };
  // The size of a claim that is bound already may differ from its volume on purpose.
  if (status.phase === 'Bound') return bound;
  const size = capacity?.['storage'];
  if (capacity === undefined || size === undefined)
    throw new Error(`PersistentVolume ${JSON.stringify(volume.metadata.name)} is without a storage capacity`);
  const before = volume.metadata.annotations?.[storageAnnotations.preResizeCapacity];
  const known = status.capacity?.['storage'];
  if (before !== undefined) bound.capacity = { ...status.capacity, storage: before };
  else if (known === undefined || !quantityFromJson(known).equals(quantityFromJson(size))) bound.capacity = capacity;
  if (status.phase === 'Pending' && volumeAttributesClassName !== undefined)
    bound.currentVolumeAttributesClassName = volumeAttributesClassName;
  return bound;
}

/** The status of a claim without a volume. */
export function unboundStatus({ status = {} }: PersistentVolumeClaim, phase: 'Pending' | 'Lost'): ClaimStatus {
  const { accessModes: _, capacity: __, currentVolumeAttributesClassName: ___, ...rest } = status;
  return { ...rest, phase };
}

/** Whether two statuses say the same. */
export const isSameStatus = (a: ClaimStatus | undefined, b: ClaimStatus): boolean => deepEqual(a ?? {}, b);
