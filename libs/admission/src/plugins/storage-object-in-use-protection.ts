import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';

const finalizers: ReadonlyMap<string, string> = new Map([
  ['/persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['/persistentvolumes', 'kubernetes.io/pv-protection'],
  ['storage.k8s.io/volumeattributesclasses', 'kubernetes.io/vac-protection'],
]);

/**
 * Adds a finalizer to volumes, claims and volume attributes classes, so that they are kept while they are in use.
 * https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
export class StorageObjectInUseProtection implements AdmissionPlugin {
  readonly name = 'StorageObjectInUseProtection';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);

  admit({ resource, subresource, object }: AdmissionAttributes): void {
    const finalizer = finalizers.get(`${resource.group}/${resource.resource}`);
    if (finalizer === undefined || subresource !== '' || object === undefined) return;
    const present = object.metadata.finalizers ?? [];
    if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer];
  }
}
