import assert from 'node:assert/strict';
import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import { volumeGivenTo } from '@apichain/component-helpers';
import { boundStatus, claimBoundTo, volumeUnbound } from './bound-objects.ts';
import { type ClaimPlan, type ClaimView, planClaim } from './claim-plan.ts';
import { newClaim, newVolume, toClaim, toFormer, toName, toOther } from '@apichain/component-helpers/volumes.fixture';
import { planReclaim, planVolume } from './volume-plan.ts';

const bound = { 'pv.kubernetes.io/bind-completed': 'yes' };
const byController = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
const selected = { 'volume.kubernetes.io/selected-node': 'n' };

function storageClass(name: string, more: Partial<StorageClass> = {}, annotations = {}): StorageClass {
  const metadata = { name, annotations };
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner: 'p', ...more };
}
const byDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };
const delayed = storageClass('later', { volumeBindingMode: 'WaitForFirstConsumer' });

/** A plan in short. */
function short(plan: ClaimPlan): string {
  if (plan.action === 'bind') return `bind ${plan.volume.metadata.name}`;
  if (plan.action === 'provision' || plan.action === 'setClass') return `${plan.action} ${plan.className}`;
  return `${plan.action} ${plan.notice === undefined ? '' : `${plan.notice.reason}: ${plan.notice.message}`}`.trim();
}

describe('the plan for a claim', () => {
  const view: ClaimView = { candidates: [], named: undefined, classes: [], waitingPods: [] };
  const rows: readonly [claim: PersistentVolumeClaim, view: Partial<ClaimView>, plan: string][] = [
    [newClaim(), { candidates: [newVolume('a')] }, 'bind a'],
    [newClaim(), {}, 'wait FailedBinding: no persistent volumes available for this claim and no storage class is set'],
    [newClaim(), { classes: [delayed, storageClass('std', {}, byDefault)] }, 'setClass std'],
    [
      newClaim({ storageClassName: '' }),
      { classes: [storageClass('std', {}, byDefault)] },
      'wait FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    [newClaim({ storageClassName: 'std' }), { classes: [storageClass('std')] }, 'provision std'],
    [newClaim({ storageClassName: 'gone' }), {}, 'provision gone'],
    [newClaim({}, { 'volume.beta.kubernetes.io/storage-class': 'old' }), {}, 'provision old'],
    [
      newClaim({ storageClassName: 'later' }),
      { classes: [delayed], candidates: [newVolume('a', { storageClassName: 'later' })] },
      'wait WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ],
    [
      newClaim({ storageClassName: 'later' }),
      { classes: [delayed], waitingPods: ['x'] },
      'wait WaitForPodScheduled: waiting for pod x to be scheduled',
    ],
    [
      newClaim({ storageClassName: 'later' }),
      { classes: [delayed], waitingPods: ['x', 'y'] },
      'wait WaitForPodScheduled: waiting for pods x,y to be scheduled',
    ],
    [newClaim({ storageClassName: 'later' }, selected), { classes: [delayed] }, 'provision later'],
    [newClaim({ volumeName: 'a' }), {}, 'wait'],
    [newClaim({ volumeName: 'a' }), { named: newVolume('a') }, 'bind a'],
    [newClaim({ volumeName: 'a' }), { named: newVolume('a', { claimRef: toName }) }, 'bind a'],
    [
      newClaim({ volumeName: 'a' }),
      { named: newVolume('a', { volumeMode: 'Block' }) },
      'wait VolumeMismatch: Cannot bind to requested volume "a": incompatible volumeMode',
    ],
    [
      newClaim({ volumeName: 'a' }),
      { named: newVolume('a', { claimRef: toOther }) },
      'wait FailedBinding: volume "a" already bound to a different claim.',
    ],
    [newClaim({ volumeName: 'a' }, bound), { named: newVolume('a', { claimRef: toClaim }) }, 'bind a'],
    [newClaim({ volumeName: 'a' }, bound), { named: newVolume('a') }, 'bind a'],
    [
      newClaim({}, bound),
      {},
      'lose ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    ],
    [
      newClaim({ volumeName: 'a' }, bound),
      {},
      'lose ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ],
    [
      newClaim({ volumeName: 'a' }, bound),
      { named: newVolume('a', { claimRef: toOther }) },
      'lose ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
    ],
  ];
  rows.forEach(([claim, more, plan], row) =>
    it(`is to ${plan} (${row})`, () => assert.equal(short(planClaim(claim, { ...view, ...more })), plan)),
  );
});

describe('the plan for a volume', () => {
  const provisioned = { 'pv.kubernetes.io/provisioned-by': 'p' };
  const rows: readonly [volume: PersistentVolume, claim: PersistentVolumeClaim | undefined, plan: object][] = [
    [newVolume('a'), undefined, { action: 'setPhase', phase: 'Available' }],
    [newVolume('a', { claimRef: toName }), newClaim(), { action: 'setPhase', phase: 'Available' }],
    [newVolume('a', { claimRef: toFormer }), undefined, { action: 'release' }],
    [newVolume('a', { claimRef: toClaim }), newClaim({ volumeName: 'a' }), { action: 'setPhase', phase: 'Bound' }],
    [newVolume('a', { claimRef: toClaim }), newClaim(), { action: 'lookAtClaim' }],
    [newVolume('a', { claimRef: toClaim }), newClaim({ volumeName: 'b' }), { action: 'unbind' }],
    [
      newVolume('a', { claimRef: toClaim, persistentVolumeReclaimPolicy: 'Delete' }, provisioned),
      newClaim({ volumeName: 'b' }),
      { action: 'release' },
    ],
    [
      newVolume('a', { claimRef: toClaim, volumeMode: 'Block' }),
      newClaim(),
      {
        action: 'report',
        onVolume: 'Cannot bind PersistentVolume to requested PersistentVolumeClaim "c" due to incompatible volumeMode.',
        onClaim: 'Cannot bind PersistentVolume "a" to requested PersistentVolumeClaim due to incompatible volumeMode.',
      },
    ],
  ];
  rows.forEach(([volume, claim, plan], row) =>
    it(`is made of its claim (${row})`, () => assert.deepEqual(planVolume(volume, claim), plan)),
  );

  const reclaims: readonly [spec: PersistentVolume['spec'], provisioner: string | undefined, outcome: string][] = [
    [{ persistentVolumeReclaimPolicy: 'Retain' }, 'simulate.apichain.dev/volumes', 'keep'],
    [{ persistentVolumeReclaimPolicy: 'Delete' }, 'simulate.apichain.dev/volumes', 'delete'],
    [{ persistentVolumeReclaimPolicy: 'Delete' }, 'csi.example.com', 'keep'],
    [{ persistentVolumeReclaimPolicy: 'Delete', csi: { driver: 'a' } }, undefined, 'keep'],
    [{ persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/tmp/a' } }, undefined, 'delete'],
    [
      { persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/data' } },
      undefined,
      'host_path deleter only supports /tmp/.+ but received provided /data',
    ],
    [
      { persistentVolumeReclaimPolicy: 'Delete', nfs: { server: 'a' } },
      undefined,
      'error getting deleter volume plugin for volume "a": no deletable volume plugin matched',
    ],
    [{ persistentVolumeReclaimPolicy: 'Recycle' }, undefined, 'No recycler plugin found for the volume!'],
    [{ persistentVolumeReclaimPolicy: 'x' }, undefined, 'Volume has unrecognized PersistentVolumeReclaimPolicy'],
  ];
  for (const [spec, provisioner, outcome] of reclaims)
    it(`after its claim is by its policy: ${outcome}`, () => {
      const annotations: Record<string, string> =
        provisioner === undefined ? {} : { 'pv.kubernetes.io/provisioned-by': provisioner };
      const reclaim = planReclaim(newVolume('a', spec, annotations, 'Released'));
      assert.equal(reclaim.action === 'fail' ? reclaim.notice.message : reclaim.action, outcome);
    });
});

describe('bound claims and volumes', () => {
  it('refer to each other, and say who bound them', () => {
    const volume = volumeGivenTo(newVolume('a'), newClaim());
    assert.equal(volume.spec?.claimRef?.uid, 'uid-c');
    assert.deepEqual(volume.metadata.annotations, byController);
    assert.equal(volumeGivenTo(volume, newClaim()), volume);
    const reserved = volumeGivenTo(newVolume('a', { claimRef: toName }), newClaim());
    assert.deepEqual([reserved.spec?.claimRef?.uid, reserved.metadata.annotations], ['uid-c', {}]);
    const claim = claimBoundTo(newClaim(), volume);
    assert.deepEqual([claim.spec?.volumeName, claim.metadata.annotations], ['a', { ...byController, ...bound }]);
    assert.equal(claimBoundTo(claim, volume), claim);
    assert.deepEqual(claimBoundTo(newClaim({ volumeName: 'a' }), volume).metadata.annotations, bound);
  });

  it('are separated again', () => {
    const byUs = volumeUnbound(newVolume('a', { claimRef: toClaim }, byController));
    assert.deepEqual([byUs.spec?.claimRef, byUs.metadata.annotations], [undefined, undefined]);
    assert.deepEqual(volumeUnbound(newVolume('a', { claimRef: toClaim })).spec?.claimRef, toName);
  });

  it('have the size of the volume in the status of the claim, once', () => {
    const volume = newVolume('a', { capacity: { storage: '5Gi' } });
    const status = boundStatus(newClaim(), volume);
    assert.deepEqual(status, { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' } });
    const larger = newVolume('a', { capacity: { storage: '6Gi' } });
    assert.deepEqual(boundStatus(newClaim({}, {}, status), larger), status);
    const sizeless = newVolume('a', { capacity: {} });
    assert.throws(() => boundStatus(newClaim(), sizeless), { message: /"a" is without a storage capacity/ });
  });
});
