import type { PersistentVolumeSpec, Volume } from '@apichain/api/core/v1';
import { isSet } from '@apichain/meta';

/** The CSI drivers that mount the volumes of former drivers in Kubernetes itself, by the field of their source. After k8s.io/csi-translation-lib. */
const migrated = {
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  awsElasticBlockStore: 'ebs.csi.aws.com',
  cinder: 'cinder.csi.openstack.org',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
  portworxVolume: 'pxd.portworx.com',
} as const;

/** The CSI driver that mounts a volume of a pod or a PersistentVolume; `''` = none. */
export function csiDriverOf(source: Volume | PersistentVolumeSpec): string {
  if (isSet(source.csi)) return source.csi.driver ?? '';
  const fields = Object.keys(migrated) as (keyof typeof migrated)[];
  const field = fields.find((name) => isSet(source[name]));
  return field === undefined ? '' : migrated[field];
}
