import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import type { WorkloadChain } from './workload-chain.ts';

export const binder = ['persistentvolume-binder', 'pv-protection', 'pvc-protection'];
export const simulated = 'simulate.apichain.dev/volumes';

export function addClass(chain: WorkloadChain, name: string, provisioner: string, more: Partial<StorageClass> = {}) {
  return chain.create<StorageClass>('storageclasses', {
    kind: 'StorageClass',
    metadata: { name },
    provisioner,
    ...more,
  });
}

export function addClaim(
  chain: WorkloadChain,
  name: string,
  storage: string,
  more: PersistentVolumeClaim['spec'] = {},
  metadata: Partial<PersistentVolumeClaim['metadata']> = {},
) {
  return chain.create<PersistentVolumeClaim>('persistentvolumeclaims', {
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more },
  });
}

export function addVolume(chain: WorkloadChain, name: string, storage: string, more: PersistentVolume['spec'] = {}) {
  return chain.create<PersistentVolume>('persistentvolumes', {
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage }, hostPath: { path: `/data/${name}` }, ...more },
  });
}

export const claimOf = (chain: WorkloadChain, name: string) =>
  chain.get<PersistentVolumeClaim>('persistentvolumeclaims', name);
export const volumeOf = (chain: WorkloadChain, name: string) => chain.get<PersistentVolume>('persistentvolumes', name);

export async function phasesOf(chain: WorkloadChain): Promise<string[]> {
  const all = [...(await chain.list('persistentvolumes')), ...(await chain.list('persistentvolumeclaims'))];
  return all.map(({ metadata, status }) => `${metadata.name} ${(status as { phase?: string }).phase}`);
}
