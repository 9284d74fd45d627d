import assert from 'node:assert/strict';
import type { PersistentVolume } from '@apichain/api/core/v1';
import { eventually } from './workload-objects.ts';
import { addClaim, addClass, addVolume, binder, claimOf, phasesOf, simulated, volumeOf } from './volume-objects.ts';
import { WorkloadChain } from './workload-chain.ts';

describe('persistent volume binder', function () {
  this.timeout(480_000);

  it('binds claims to the smallest volumes that fit, and gives the volumes back', async () => {
    await using chain = await WorkloadChain.start(binder);
    await addVolume(chain, 'large', '10Gi');
    await addVolume(chain, 'small', '1Gi');
    await addVolume(chain, 'shared', '5Gi', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] });
    await addVolume(chain, 'temporary', '2Gi', {
      persistentVolumeReclaimPolicy: 'Delete',
      hostPath: { path: '/tmp/temporary' },
      claimRef: { namespace: 'default', name: 'kept-for' },
    });
    await eventually(async () =>
      assert.deepEqual(await phasesOf(chain), [
        'large Available',
        'shared Available',
        'small Available',
        'temporary Available',
      ]),
    );
    await addClaim(chain, 'many', '1Gi', { accessModes: ['ReadWriteMany'], storageClassName: '' });
    await addClaim(chain, 'two', '2Gi', { storageClassName: '' });
    await addClaim(chain, 'kept-for', '1Gi', { storageClassName: '' });
    await addClaim(chain, 'huge', '1Ti');
    await eventually(async () =>
      assert.deepEqual(await phasesOf(chain), [
        'large Bound',
        'shared Bound',
        'small Available',
        'temporary Bound',
        'huge Pending',
        'kept-for Bound',
        'many Bound',
        'two Bound',
      ]),
    );
    const { metadata, spec, status } = await claimOf(chain, 'two');
    assert.equal(spec?.volumeName, 'large');
    assert.deepEqual(status, { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } });
    const annotations = {
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    };
    assert.deepEqual(metadata.annotations, annotations);
    const large = await volumeOf(chain, 'large');
    assert.deepEqual(large.metadata.annotations, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
    const { resourceVersion: _, ...reference } = large.spec?.claimRef ?? {};
    assert.deepEqual(reference, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'two',
      uid: metadata.uid,
    });
    assert.equal((await volumeOf(chain, 'temporary')).metadata.annotations, undefined);
    await eventually(async () =>
      assert.deepEqual(await chain.events('huge'), [
        'FailedBinding: no persistent volumes available for this claim and no storage class is set',
      ]),
    );
    for (const name of ['two', 'kept-for']) await chain.delete('persistentvolumeclaims', name);
    await eventually(async () =>
      assert.deepEqual(await phasesOf(chain), [
        'large Released',
        'shared Bound',
        'small Available',
        'huge Pending',
        'many Bound',
      ]),
    );
    await addVolume(chain, 'vast', '2Ti');
    await eventually(async () => assert.equal((await claimOf(chain, 'huge')).spec?.volumeName, 'vast'));
    await chain.delete('persistentvolumes', 'vast');
    await chain.patch('persistentvolumes', 'vast', { metadata: { finalizers: null } });
    await eventually(async () => {
      assert.equal((await claimOf(chain, 'huge')).status?.phase, 'Lost');
      assert.ok(
        (await chain.events('huge')).includes(
          'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
        ),
      );
    });
  });

  it('makes and deletes volumes of the simulated provisioner, and leaves others to their drivers', async () => {
    await using chain = await WorkloadChain.start(binder);
    await addClass(chain, 'simulated', simulated, {
      metadata: { name: 'simulated', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    });
    await addClass(chain, 'foreign', 'csi.example.com');
    await addClass(chain, 'manual', 'kubernetes.io/no-provisioner');
    await addClass(chain, 'later', simulated, { volumeBindingMode: 'WaitForFirstConsumer', reclaimPolicy: 'Retain' });
    const metadata = { labels: { app: 'db' } };
    const { metadata: made } = await addClaim(chain, 'data-db-0', '1Gi', {}, metadata);
    await addClaim(chain, 'external', '1Gi', { storageClassName: 'foreign' });
    await addClaim(chain, 'manual', '1Gi', { storageClassName: 'manual' });
    await addClaim(chain, 'missing', '1Gi', { storageClassName: 'missing' });
    await addClaim(chain, 'delayed', '1Gi', { storageClassName: 'later' });
    const name = `pvc-${made.uid}`;
    await eventually(async () =>
      assert.deepEqual(await phasesOf(chain), [
        `${name} Bound`,
        'data-db-0 Bound',
        'delayed Pending',
        'external Pending',
        'manual Pending',
        'missing Pending',
      ]),
    );
    const waiting = (provisioner: string) =>
      `ExternalProvisioning: Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    await eventually(async () => {
      assert.deepEqual(
        new Set(await chain.events('data-db-0')),
        new Set([
          waiting(simulated),
          'Provisioning: External provisioner is provisioning volume for claim "default/data-db-0"',
          `ProvisioningSucceeded: Successfully provisioned volume ${name}`,
        ]),
      );
      assert.deepEqual(await chain.events('external'), [waiting('csi.example.com')]);
      assert.deepEqual(await chain.events('manual'), [
        'ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
      ]);
      assert.deepEqual(await chain.events('missing'), [
        'ProvisioningFailed: storageclass.storage.k8s.io "missing" not found',
      ]);
      assert.deepEqual(await chain.events('delayed'), [
        'WaitForFirstConsumer: waiting for first consumer to be created before binding',
      ]);
    });
    const { spec, metadata: volume } = await volumeOf(chain, name);
    assert.equal(spec?.persistentVolumeReclaimPolicy, 'Delete');
    assert.equal(spec.storageClassName, 'simulated');
    assert.equal(volume.annotations?.['pv.kubernetes.io/provisioned-by'], simulated);
    const { annotations } = (await claimOf(chain, 'external')).metadata;
    assert.equal(annotations?.['volume.kubernetes.io/storage-provisioner'], 'csi.example.com');

    await chain.patch('persistentvolumeclaims', 'delayed', {
      metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'node-1' } },
    });
    await eventually(async () => assert.equal((await claimOf(chain, 'delayed')).status?.phase, 'Bound'));
    await chain.delete('persistentvolumeclaims', 'data-db-0');
    await eventually(async () => {
      const [left, ...others] = await chain.list<PersistentVolume>('persistentvolumes');
      assert.deepEqual([left?.spec?.claimRef?.name, others], ['delayed', []]);
    });
    await chain.delete('persistentvolumeclaims', 'delayed');
    await eventually(async () => {
      const [left] = await chain.list<PersistentVolume>('persistentvolumes');
      assert.equal(left?.status?.phase, 'Released');
    });
  });
});
