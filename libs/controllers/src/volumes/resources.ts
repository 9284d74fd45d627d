import type { PersistentVolume } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import type { ResourceReference } from '@apichain/client';

/** The resources of storage that several controllers follow, besides claims (../workloads/resources.ts). */

export const volumes: ResourceReference<PersistentVolume> = {
  group: '',
  version: 'v1',
  resource: 'persistentvolumes',
};
export const storageClasses: ResourceReference<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'storageclasses',
};
