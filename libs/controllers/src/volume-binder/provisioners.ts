/** The provisioners that were part of Kubernetes once, and the CSI drivers that do their work. */
const migrated: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
]);

/**
 * The external provisioner for the provisioner of a storage class; undefined for one that nobody is, such as `kubernetes.io/no-provisioner`.
 */
export const externalProvisioner = (provisioner: string): string | undefined =>
  migrated.get(provisioner) ?? (provisioner.startsWith('kubernetes.io/') ? undefined : provisioner);
