import assert from 'node:assert/strict';
import { newClaim, newVolume, toClaim, toFormer } from '@apichain/component-helpers/volumes.fixture';
import { expandedStatus, grown, planExpansion } from './controller.ts';

const size = (storage: string) => ({ resources: { requests: { storage } } });
const has = (storage: string) => ({ phase: 'Bound', capacity: { storage } });
const simulated = { 'pv.kubernetes.io/provisioned-by': 'simulate.apichain.dev/volumes' };
const resizing = { 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' };

describe('the expansion of a volume', () => {
  const volume = newVolume('a', { claimRef: toClaim }, simulated);
  it('is needed when the claim requests more than it has', () => {
    assert.equal(planExpansion(newClaim(size('1Gi'), {}, has('1Gi')), volume), 'none');
    assert.equal(planExpansion(newClaim(size('2Gi'), {}, has('1Gi')), volume), 'simulated');
    const foreign = newVolume('a', { claimRef: toClaim });
    assert.equal(planExpansion(newClaim(size('2Gi'), {}, has('1Gi')), foreign), 'external');
    const halfway = newVolume('a', { claimRef: toClaim }, resizing);
    assert.equal(planExpansion(newClaim(size('1Gi'), {}, has('1Gi')), halfway), 'external');
  });

  it('is refused for the volume of another claim', () => {
    for (const other of [newVolume('a'), newVolume('a', { claimRef: toFormer })])
      assert.throws(() => planExpansion(newClaim(), other), {
        message: 'persistent Volume is not bound to PVC being updated : ns/c',
      });
  });

  it('makes the volume as large as requested, and never smaller', () => {
    assert.deepEqual(grown(volume, newClaim(size('3Gi'))).spec?.capacity, { storage: '3Gi' });
    assert.equal(grown(volume, newClaim(size('1Mi'))), volume);
  });

  it('ends the conditions of the claim that are about it', () => {
    const conditions = ['Resizing', 'ModifyingVolume'].map((type) => ({ type, status: 'True' }));
    const status = { ...has('1Gi'), conditions, allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' } };
    assert.deepEqual(expandedStatus(newClaim({}, {}, status), '2Gi'), {
      ...has('2Gi'),
      allocatedResources: { storage: '2Gi' },
      conditions: [{ type: 'ModifyingVolume', status: 'True' }],
    });
  });
});
