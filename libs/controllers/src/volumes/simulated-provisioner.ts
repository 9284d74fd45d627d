import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import { annotations } from './annotations.ts';
import { classOf } from './class.ts';
import { simulatedProvisioner } from './provisioner.ts';

/** Whether a volume is simulated, and may be resized and deleted at will. */
export const isSimulated = ({ metadata }: PersistentVolume): boolean =>
  metadata.annotations?.[annotations.provisionedBy] === simulatedProvisioner;

/** The name of the volume that is made for a claim. */
export const provisionedName = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid}`;

/** A reference to a claim, as a volume has it that is bound to the claim. */
export function referenceTo({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
}

/** The volume that the simulated provisioner makes for a claim. */
export function simulatedVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { accessModes = [], resources, volumeMode, volumeAttributesClassName } = claim.spec ?? {};
  const { reclaimPolicy = 'Delete', mountOptions = [] } = storageClass;
  const name = provisionedName(claim);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [annotations.provisionedBy]: simulatedProvisioner } },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      claimRef: referenceTo(claim),
      hostPath: { path: `/var/lib/apichain/volumes/${name}`, type: 'DirectoryOrCreate' },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: classOf(claim),
      ...(mountOptions.length > 0 && { mountOptions }),
      ...(volumeMode !== undefined && { volumeMode }),
      ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
    },
  };
}
