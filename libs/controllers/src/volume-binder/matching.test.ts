import assert from 'node:assert/strict';
import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { bestVolume, mismatch } from './matching.ts';
import { newClaim, newVolume, toClaim, toFormer, toName, toOther } from './volume-binder.fixture.ts';

describe('the volume for a claim', () => {
  const many = ['ReadWriteOnce', 'ReadWriteMany'];
  const size = (storage: string) => ({ capacity: { storage } });
  const rows: readonly [
    what: string,
    claim: PersistentVolumeClaim['spec'],
    volumes: readonly PersistentVolume[],
    best: string | undefined,
  ][] = [
    ['none', {}, [], undefined],
    ['the smallest', {}, [newVolume('a', size('3Gi')), newVolume('b', size('2Gi'))], 'b'],
    ['the first of the same size', {}, [newVolume('b'), newVolume('a')], 'a'],
    ['not too small', {}, [newVolume('a', size('1023Mi'))], undefined],
    ['fewer access modes first', {}, [newVolume('a', { accessModes: many }), newVolume('b', size('9Gi'))], 'b'],
    [
      'all access modes',
      { accessModes: ['ReadWriteMany'] },
      [newVolume('a'), newVolume('b', { accessModes: many })],
      'b',
    ],
    ['the class', { storageClassName: 'x' }, [newVolume('a'), newVolume('b', { storageClassName: 'x' })], 'b'],
    ['no class', { storageClassName: '' }, [newVolume('a', { storageClassName: 'x' })], undefined],
    ['the mode', {}, [newVolume('a', { volumeMode: 'Block' })], undefined],
    ['attributes', { volumeAttributesClassName: 'x' }, [newVolume('a')], undefined],
    ['the selector', { selector: { matchLabels: { name: 'b' } } }, [newVolume('a'), newVolume('b')], 'b'],
    ['only free ones', {}, [newVolume('a', {}, {}, 'Released'), newVolume('b', { claimRef: toOther })], undefined],
    ['reserved', {}, [newVolume('a'), newVolume('z', { claimRef: toName, ...size('9Gi') })], 'z'],
    ['reserved in another class', {}, [newVolume('a', { claimRef: toClaim, storageClassName: 'x' }, {}, 'Bound')], 'a'],
    ['reserved for a former claim', {}, [newVolume('a', { claimRef: toFormer })], undefined],
    ['reserved but too small', {}, [newVolume('a', { claimRef: toClaim, ...size('1') })], undefined],
  ];
  for (const [what, spec, volumes, best] of rows)
    it(`is ${best ?? 'none'}: ${what}`, () =>
      assert.equal(bestVolume(newClaim(spec), volumes, false)?.metadata.name, best));

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
