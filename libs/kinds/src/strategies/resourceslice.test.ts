import assert from 'node:assert/strict';
import type { RequestContext } from '@apichain/apiserver';
import type { KubeObject } from '@apichain/meta';
import { resourceSliceBehaviour } from './resourceslice.ts';

const ctx = {} as RequestContext;
const slice = (device: object): KubeObject => ({
  apiVersion: '',
  kind: '',
  metadata: { name: 's', generation: 1 },
  spec: { devices: [{ name: 'd', ...structuredClone(device) }] },
});
const gated = {
  attributes: { lists: { strings: ['a'] }, one: { string: 'a' } },
  nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: '1' } },
};
const kept = { attributes: { lists: {}, one: { string: 'a' } } };

describe('resource slices', () => {
  it('lose what closed gates hold back', () => {
    const created = slice(gated);
    resourceSliceBehaviour.prepareForCreate?.(created, ctx);
    assert.deepEqual(created.spec, slice(kept).spec);
  });

  it('count a gated field of an update as a change, though it is dropped', () => {
    const updated = slice(gated);
    resourceSliceBehaviour.prepareForUpdate?.(updated, slice({}), ctx);
    assert.deepEqual(updated, { ...slice(kept), metadata: { name: 's', generation: 2 } });
  });

  it('keep what they have', () => {
    const updated = slice(gated);
    resourceSliceBehaviour.prepareForUpdate?.(updated, slice(gated), ctx);
    assert.deepEqual(updated, slice(gated));
  });
});
