import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import { referenceToClaim, storageAnnotations, storageClassOf } from '@apichain/component-helpers';
import { simulatedProvisioner } from './provisioner.ts';

/** Whether a volume is simulated, and may be resized and deleted at will. */
export const isSimulated = ({ metadata }: PersistentVolume): boolean =>
  metadata.annotations?.[storageAnnotations.provisionedBy] === simulatedProvisioner;

/** The name of the volume that is made for a claim. */
const provisionedName = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid}`;

/** The volume that the simulated provisioner makes for a claim. */
export function simulatedVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { accessModes = [], resources, volumeMode, volumeAttributesClassName } = claim.spec ?? {};
  const { reclaimPolicy = 'Delete', mountOptions = [] } = storageClass;
  const name = provisionedName(claim);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [storageAnnotations.provisionedBy]: simulatedProvisioner } },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      claimRef: referenceToClaim(claim),
      hostPath: { path: `/var/lib/apichain/volumes/${name}`, type: 'DirectoryOrCreate' },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClassOf(claim),
      ...(mountOptions.length > 0 && { mountOptions }),
      ...(volumeMode !== undefined && { volumeMode }),
      ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
    },
  };
}
