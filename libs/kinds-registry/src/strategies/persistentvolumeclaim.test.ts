import assert from 'node:assert/strict';
import type { RequestContext } from '@apichain/request';
import type { KubeObject } from '@apichain/meta';
import { persistentVolumeClaimBehaviour } from './persistentvolumeclaim.ts';

const claim = (spec: object): KubeObject => ({ apiVersion: '', kind: '', metadata: { name: 'x' }, spec });
const ctx = {} as RequestContext;

describe('data sources of claims', () => {
  const prepared = (spec: object, old?: object): unknown => {
    const object = claim(structuredClone(spec));
    if (old === undefined) persistentVolumeClaimBehaviour.prepareForCreate?.(object, ctx);
    else persistentVolumeClaimBehaviour.prepareForUpdate?.(object, claim(old), ctx);
    return object.spec;
  };
  const custom = { apiGroup: 'a.b', kind: 'Populator', name: 'p' };
  const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
  const elsewhere = { ...snapshot, namespace: 'other' };

  it('are mirrored, and may have any kind in dataSourceRef', () => {
    assert.deepEqual(prepared({ dataSource: snapshot }), { dataSource: snapshot, dataSourceRef: snapshot });
    assert.deepEqual(prepared({ dataSourceRef: custom }), { dataSource: custom, dataSourceRef: custom });
    assert.deepEqual(prepared({ dataSource: custom }), {});
  });

  it('are kept when an update omits dataSourceRef', () => {
    const both = { dataSource: custom, dataSourceRef: custom };
    assert.deepEqual(prepared({ dataSource: custom }, both), both);
    const stored = { dataSourceRef: elsewhere };
    assert.deepEqual(prepared(stored, stored), stored);
  });
});
