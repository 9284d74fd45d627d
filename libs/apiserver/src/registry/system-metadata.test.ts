import assert from 'node:assert/strict';
import type { KubeObject, OwnerReference } from '@apichain/meta';
import { dedupOwnerReferences } from './system-metadata.ts';

const owner = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'o',
  uid,
  ...more,
});
const owned = (...ownerReferences: OwnerReference[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ownerReferences },
});

describe('dedupOwnerReferences', () => {
  it('drops owners that repeat another in every field, and names each', () => {
    const object = owned(owner('1'), owner('2'), owner('1'), owner('1'));
    assert.match(dedupOwnerReferences(object, false) ?? '', /duplicate UID\(s\) observed: 1, 1$/);
    assert.deepEqual(object.metadata.ownerReferences, [owner('1'), owner('2')]);
  });

  it('keeps owners of one uid that differ', () => {
    const owners = [
      owner('1'),
      owner('1', { name: 'p' }),
      owner('1', { controller: false }),
      owner('1', { apiVersion: 'v2' }),
    ];
    const object = owned(...owners);
    assert.equal(dedupOwnerReferences(object, true), undefined);
    assert.deepEqual(object.metadata.ownerReferences, owners);
  });
});
