import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

describe('merge patch', () => {
  it('merges, replaces and deletes', () => {
    assert.deepEqual(
      applyMergePatch({ a: { b: 1, c: 2 }, l: [1] }, { a: { b: null, d: { e: null, f: 1 } }, l: [null] }),
      {
        a: { c: 2, d: { f: 1 } },
        l: [null],
      },
    );
    assert.deepEqual(applyMergePatch({ a: 1 }, ['x']), ['x']);
  });
  it('creates what leads from one object to the other', () => {
    assert.deepEqual(createMergePatch({ a: 1, b: { c: 1, d: 2 } }, { b: { c: 3, d: 2 } }), { b: { c: 3 }, a: null });
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer()));
    const object = fc.dictionary(
      fc.string(),
      fc.oneof(leaf, fc.dictionary(fc.string(), leaf, { noNullPrototype: true })),
      {
        noNullPrototype: true,
      },
    );
    fc.assert(fc.property(object, object, (a, b) => assert.deepEqual(applyMergePatch(a, createMergePatch(a, b)), b)));
  });
});
