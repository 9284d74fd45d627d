import assert from 'node:assert/strict';
import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { matchingVolume, volumeGivenTo } from './volume-matching.ts';
import { newClaim, newVolume, toClaim, toFormer, toName, toOther } from './volumes.fixture.ts';

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
      assert.equal(matchingVolume(newClaim(spec), volumes)?.metadata.name, best));

  it('is only what is reserved, if the scheduler chooses among the free ones', () => {
    const options = { onlyReserved: true };
    assert.equal(matchingVolume(newClaim(), [newVolume('a')], options), undefined);
    assert.equal(matchingVolume(newClaim(), [newVolume('a', { claimRef: toName })], options)?.metadata.name, 'a');
  });

  it('is none that is promised to another claim', () => {
    const volumes = [newVolume('a'), newVolume('b')];
    assert.equal(matchingVolume(newClaim(), volumes, { taken: new Set(['a']) })?.metadata.name, 'b');
  });

  it('can be used on the node, also when it is reserved', () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels: { zone: 'a' } } };
    const inZone = (zone: string) => ({
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
      },
    });
    const volumes = [newVolume('a', inZone('b')), newVolume('b', inZone('a'))];
    assert.equal(matchingVolume(newClaim(), volumes, { node })?.metadata.name, 'b');
    const reserved = newVolume('a', { ...inZone('b'), claimRef: toClaim });
    assert.equal(matchingVolume(newClaim(), [reserved, newVolume('b')], { node }), undefined);
  });
});

describe('a volume that is given to a claim', () => {
  it('refers to the claim, and says that no user has chosen it', () => {
    const volume = volumeGivenTo(newVolume('a'), newClaim());
    assert.equal(volume.spec?.claimRef?.uid, 'uid-c');
    assert.deepEqual(volume.metadata.annotations, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
    assert.equal(volumeGivenTo(volume, newClaim()), volume);
  });

  it('stays as the user has reserved it, but for the uid', () => {
    const volume = volumeGivenTo(newVolume('a', { claimRef: toName }), newClaim());
    assert.equal(volume.spec?.claimRef?.uid, 'uid-c');
    assert.deepEqual(volume.metadata.annotations, {});
  });
});
