import assert from 'node:assert/strict';
import type { PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { VolumeAttributesClass } from '@apichain/api/storage/v1';
import { WorkloadChain, soon } from './workload-chain.ts';

const finalizer = 'kubernetes.io/vac-protection';

describe('protection of VolumeAttributesClasses', function () {
  this.timeout(480_000);

  const addClass = (chain: WorkloadChain, name: string) =>
    chain.create<VolumeAttributesClass>('volumeattributesclasses', {
      kind: 'VolumeAttributesClass',
      metadata: { name },
      driverName: 'driver.example.com',
      parameters: { iops: '4000' },
    });
  const namesOf = async (chain: WorkloadChain) =>
    (await chain.list('volumeattributesclasses')).map(({ metadata }) => metadata.name);

  it('keeps a class that is deleted until nothing names it, and gives the finalizer back', async () => {
    await using chain = await WorkloadChain.start(['volumeattributesclass-protection-controller']);
    await addClass(chain, 'free');
    await addClass(chain, 'held');
    await chain.create<PersistentVolumeClaim>('persistentvolumeclaims', {
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'claim' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeAttributesClassName: 'held',
      },
    });
    await chain.setStatus('persistentvolumeclaims', 'claim', { currentVolumeAttributesClassName: 'held' });
    await chain.patch('volumeattributesclasses', 'free', { metadata: { finalizers: null } });
    await soon(async () => {
      const { metadata } = await chain.get('volumeattributesclasses', 'free');
      assert.deepEqual(metadata.finalizers, [finalizer]);
    });

    await chain.delete('volumeattributesclasses', 'held');
    await chain.delete('volumeattributesclasses', 'free');
    await soon(async () => assert.deepEqual(await namesOf(chain), ['held']));
    await chain.delete('persistentvolumeclaims', 'claim');
    await chain.patch('persistentvolumeclaims', 'claim', { metadata: { finalizers: null } });
    await soon(async () => assert.deepEqual(await namesOf(chain), []));
  });
});
