import assert from 'node:assert/strict';
import { bestVolume, mismatch } from './matching.ts';
import { newClaim, newVolume, toName } from '@apichain/component-helpers/volumes.fixture';

describe('the volume for a claim', () => {
  const many = ['ReadWriteOnce', 'ReadWriteMany'];
  const size = (storage: string) => ({ capacity: { storage } });
  it('is one with few access modes', () => {
    const volumes = [newVolume('a', { accessModes: many }), newVolume('b', size('9Gi'))];
    assert.equal(bestVolume(newClaim(), volumes, false)?.metadata.name, 'b');
    assert.equal(bestVolume(newClaim({ accessModes: ['ReadWriteMany'] }), volumes, false)?.metadata.name, 'a');
  });

  it('is left to the scheduler unless reserved', () => {
    assert.equal(bestVolume(newClaim(), [newVolume('a')], true), undefined);
    assert.equal(bestVolume(newClaim(), [newVolume('a', { claimRef: toName })], true)?.metadata.name, 'a');
  });

  it('must fit also if the claim names it', () => {
    const problems = [
      newVolume('a'),
      newVolume('a', size('1Mi')),
      newVolume('a', { storageClassName: 'x' }),
      newVolume('a', { volumeAttributesClassName: 'x' }),
      newVolume('a', { volumeMode: 'Block' }),
      newVolume('a', { accessModes: ['ReadOnlyMany'] }),
    ].map((volume) => mismatch(volume, newClaim()));
    assert.deepEqual(problems, [
      undefined,
      'requested PV is too small',
      'storageClassName does not match',
      'volumeAttributesClassName does not match',
      'incompatible volumeMode',
      'incompatible accessMode',
    ]);
  });
});
