import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { defaulterFor } from '../defaults/index.ts';
import { deprecationWarning } from '../deprecations.ts';
import { convertFromHub, convertToHub } from './hub.ts';

const group = 'resource.k8s.io';
const hub = { group, version: 'v1' };
const old = { group, version: 'v1beta1' };

/** Converts an object of v1beta1 to its stored form and back. */
function bothWays(kind: string, spec: object): { stored: unknown; back: unknown } {
  const object: KubeObject = { apiVersion: `${group}/v1beta1`, kind, metadata: { name: 'x' }, spec };
  const stored = convertToHub(structuredClone(object), hub);
  assert.equal(stored.apiVersion, `${group}/v1`);
  return { stored: structuredClone(stored.spec), back: convertFromHub(stored, old).spec };
}

describe('resource.k8s.io/v1beta1', () => {
  it('asks for devices in the request itself', () => {
    const exact = { deviceClassName: 'c', count: 2, selectors: [{ cel: { expression: 'true' } }] };
    const alternatives = { name: 'b', firstAvailable: [{ name: 's', deviceClassName: 'c' }] };
    const spec = { devices: { requests: [{ name: 'a', ...exact }, alternatives] } };
    const { stored, back } = bothWays('ResourceClaim', spec);
    assert.deepEqual(stored, { devices: { requests: [{ name: 'a', exactly: exact }, alternatives] } });
    assert.deepEqual(back, spec);
    assert.deepEqual(bothWays('ResourceClaimTemplate', { spec }).stored, { spec: stored });
  });

  it('has what a device has in `basic`', () => {
    const spec = { nodeName: 'n', devices: [{ name: 'a', basic: { attributes: { b: { int: 1 } } } }] };
    const { stored, back } = bothWays('ResourceSlice', spec);
    assert.deepEqual(stored, { nodeName: 'n', devices: [{ name: 'a', attributes: { b: { int: 1 } } }] });
    assert.deepEqual(back, spec);
  });

  it('sets defaults only where a class is named', () => {
    const object: KubeObject = { apiVersion: '', kind: '', metadata: {}, spec: { devices: { requests: [] } } };
    const requests: object[] = [
      { name: 'a', deviceClassName: 'c' },
      { name: 'b', firstAvailable: [{}] },
    ];
    object.spec = { devices: { requests } };
    defaulterFor({ ...old, kind: 'ResourceClaim' })?.(object);
    assert.deepEqual(requests, [
      { name: 'a', deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 },
      { name: 'b', firstAvailable: [{ allocationMode: 'ExactCount', count: 1 }] },
    ]);
  });

  it('is deprecated', () => {
    assert.equal(
      deprecationWarning({ ...old, kind: 'ResourceClaim' }),
      'resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+',
    );
    assert.equal(
      deprecationWarning({ group: 'storage.k8s.io', version: 'v1beta1', kind: 'VolumeAttributesClass' }),
      'storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass',
    );
    assert.equal(deprecationWarning({ group, version: 'v1beta2', kind: 'DeviceTaintRule' }), undefined);
  });
});
