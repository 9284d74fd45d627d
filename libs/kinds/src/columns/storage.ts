import type { KubeObject } from '@apichain/meta';
import { at, isSet, record, records, text } from '../fields.ts';
import { accessModes, booleanAt, type Cell, type Cells, countAt, joinedAt, marked, textAt } from './cells.ts';

const terminatingOr = (object: KubeObject): string =>
  isSet(object.metadata.deletionTimestamp) ? 'Terminating' : text(at(object.status, 'phase'));

const storageClass = (object: KubeObject): string =>
  object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? text(at(object.spec, 'storageClassName'));

const whenBound =
  (cell: Cell): Cell =>
  (claim) =>
    text(at(claim.spec, 'volumeName')) === '' ? '' : cell(claim);

/** Volumes, claims and drivers. By `Kind` or `Kind.group` and column name. */
export const storageCells: Readonly<Record<string, Cells>> = {
  PersistentVolume: {
    Capacity: textAt('spec.capacity.storage', '0'),
    'Access Modes': (volume) => accessModes(at(volume.spec, 'accessModes')),
    Status: terminatingOr,
    Claim: (volume) => {
      const claim = at(volume.spec, 'claimRef');
      return isSet(claim) ? `${text(record(claim).namespace)}/${text(record(claim).name)}` : '';
    },
    StorageClass: storageClass,
    VolumeAttributesClass: textAt('spec.volumeAttributesClassName', '<unset>'),
    VolumeMode: textAt('spec.volumeMode', '<unset>'),
  },
  PersistentVolumeClaim: {
    Status: terminatingOr,
    Capacity: whenBound(textAt('status.capacity.storage', '0')),
    'Access Modes': whenBound((claim) => accessModes(at(claim.status, 'accessModes'))),
    StorageClass: storageClass,
    VolumeAttributesClass: textAt('spec.volumeAttributesClassName', '<unset>'),
    VolumeMode: textAt('spec.volumeMode', '<unset>'),
  },
  'StorageClass.storage.k8s.io': {
    Name: marked(['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']),
    ReclaimPolicy: ({ reclaimPolicy }) => (isSet(reclaimPolicy) ? text(reclaimPolicy) : 'Delete'),
    VolumeBindingMode: textAt('volumeBindingMode', 'Immediate'),
    AllowVolumeExpansion: booleanAt('allowVolumeExpansion'),
  },
  'VolumeAttachment.storage.k8s.io': {
    PV: textAt('spec.source.persistentVolumeName'),
    Attached: booleanAt('status.attached'),
  },
  'CSINode.storage.k8s.io': { Drivers: countAt('spec.drivers') },
  'CSIDriver.storage.k8s.io': {
    AttachRequired: booleanAt('spec.attachRequired', true),
    PodInfoOnMount: booleanAt('spec.podInfoOnMount'),
    StorageCapacity: booleanAt('spec.storageCapacity'),
    TokenRequests: (driver) => {
      const requests = at(driver.spec, 'tokenRequests');
      return isSet(requests)
        ? records(requests)
            .map((request) => text(request.audience))
            .join(',')
        : '<unset>';
    },
    RequiresRepublish: booleanAt('spec.requiresRepublish'),
    Modes: joinedAt('spec.volumeLifecycleModes', '<none>'),
  },
};
