import type { StorageClass } from '@apichain/api/storage/v1';
import type { ResourceReference, RestClient } from '@apichain/client';
import { simulatedProvisioner } from '@apichain/controllers/simulated-provisioner';
import { isStatusError } from '@apichain/meta';

const storageClasses: ResourceReference<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'storageclasses',
};

/**
 * Creates a default StorageClass with simulated volumes in a cluster that has no StorageClass, so that claims which name none are met, as in
 * clusters for tests and development.
 * https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass
 */
export async function ensureStorageClass(client: RestClient): Promise<void> {
  const { items } = await client.list(storageClasses, { limit: 1 });
  if (items.length > 0) return;
  const standard: StorageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: simulatedProvisioner,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  };
  await client.create(storageClasses, standard).catch((error: unknown) => {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  });
}
