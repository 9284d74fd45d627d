import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { isSet } from '@apichain/meta';
import { accessModes, booleanAt, type Cell, countAt, joinedAt, marked, textAt, type CellTable } from './cells.ts';

const terminatingOr = (object: PersistentVolume | PersistentVolumeClaim): string =>
  isSet(object.metadata.deletionTimestamp) ? 'Terminating' : (object.status?.phase ?? '');

const storageClass = (object: PersistentVolume | PersistentVolumeClaim): string =>
  object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? object.spec?.storageClassName ?? '';

const whenBound =
  (cell: Cell<PersistentVolumeClaim>): Cell<PersistentVolumeClaim> =>
  (claim) =>
    (claim.spec?.volumeName ?? '') === '' ? '' : cell(claim);

/** Volumes, claims and drivers, by `Kind` or `Kind.group` and column name. */
export const storageCells: CellTable = {
  PersistentVolume: {
    Capacity: textAt((object) => object.spec?.capacity?.storage, '0'),
    'Access Modes': (volume) => accessModes(volume.spec?.accessModes),
    Status: terminatingOr,
    Claim: (volume) => {
      const claim = volume.spec?.claimRef;
      return isSet(claim) ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '';
    },
    StorageClass: storageClass,
    VolumeAttributesClass: textAt((object) => object.spec?.volumeAttributesClassName, '<unset>'),
    VolumeMode: textAt((object) => object.spec?.volumeMode, '<unset>'),
  },
  PersistentVolumeClaim: {
    Status: terminatingOr,
    Capacity: whenBound(textAt((object) => object.status?.capacity?.storage, '0')),
    'Access Modes': whenBound((claim) => accessModes(claim.status?.accessModes)),
    StorageClass: storageClass,
    VolumeAttributesClass: textAt((object) => object.spec?.volumeAttributesClassName, '<unset>'),
    VolumeMode: textAt((object) => object.spec?.volumeMode, '<unset>'),
  },
  'StorageClass.storage.k8s.io': {
    Name: marked(['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']),
    ReclaimPolicy: ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete',
    VolumeBindingMode: textAt((object) => object.volumeBindingMode, 'Immediate'),
    AllowVolumeExpansion: booleanAt((object) => object.allowVolumeExpansion),
  },
  'VolumeAttachment.storage.k8s.io': {
    PV: textAt((object) => object.spec?.source?.persistentVolumeName),
    Attached: booleanAt((object) => object.status?.attached),
  },
  'CSINode.storage.k8s.io': { Drivers: countAt((object) => object.spec?.drivers) },
  'CSIDriver.storage.k8s.io': {
    AttachRequired: booleanAt((object) => object.spec?.attachRequired, true),
    PodInfoOnMount: booleanAt((object) => object.spec?.podInfoOnMount),
    StorageCapacity: booleanAt((object) => object.spec?.storageCapacity),
    TokenRequests: (driver) => {
      const requests = driver.spec?.tokenRequests;
      return requests?.map((request) => request.audience ?? '').join(',') ?? '<unset>';
    },
    RequiresRepublish: booleanAt((object) => object.spec?.requiresRepublish),
    Modes: joinedAt((object) => object.spec?.volumeLifecycleModes, '<none>'),
  },
};
