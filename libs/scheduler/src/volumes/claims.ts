import type { PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import { storageClassOf } from '@apichain/component-helpers';
import type { ObjectStore } from '../cluster/object-store.ts';

/** Whether the volume of the claim is chosen when a pod that uses it is scheduled. Throws Error for an incomplete class. */
export function waitsForConsumer(claim: PersistentVolumeClaim, classes: ObjectStore<StorageClass>): boolean {
  const name = storageClassOf(claim);
  const storageClass = name === '' ? undefined : classes.get(name);
  if (storageClass === undefined) return false;
  if (storageClass.volumeBindingMode === undefined)
    throw new Error(`VolumeBindingMode not set for StorageClass "${name}"`);
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
}

/** The message of a lister for an object that does not exist. */
export const notFound = (resource: string, name: string): string => `${resource} "${name}" not found`;
