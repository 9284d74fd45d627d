import assert from 'node:assert/strict';
import { prune } from './prune.ts';
import { structuralType } from './structural-type.ts';

describe('pruning', () => {
  it('reports fields below an empty key', () => {
    const type = structuralType({ type: 'object', additionalProperties: { type: 'object', properties: {} } });
    assert.deepEqual(prune({ '': { k: 1 }, a: { k: 1 } }, type, false), ['.k', 'a.k']);
  });
});
