import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';

type Annotations = Readonly<Record<string, string>>;

/** A claim for a gibibyte, unless `spec` says otherwise. */
export function newClaim(
  spec: PersistentVolumeClaim['spec'] = {},
  annotations: Annotations = {},
  status: PersistentVolumeClaim['status'] = { phase: 'Pending' },
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'ns', name: 'c', uid: 'uid-c', annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    status,
  };
}

/** A free volume of a gibibyte, unless `spec` says otherwise. */
export function newVolume(
  name: string,
  spec: PersistentVolume['spec'] = {},
  annotations: Annotations = {},
  phase = 'Available',
): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations, labels: { name } },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
    status: { phase },
  };
}

/** A reference of a volume to the claim. */
export const toClaim = { namespace: 'ns', name: 'c', uid: 'uid-c' };
/** A reference to whatever claim has this name. */
export const toName = { namespace: 'ns', name: 'c' };
/** A reference to a former claim of this name. */
export const toFormer = { namespace: 'ns', name: 'c', uid: 'uid-former' };
/** A reference to another claim. */
export const toOther = { namespace: 'ns', name: 'other', uid: 'uid-other' };
