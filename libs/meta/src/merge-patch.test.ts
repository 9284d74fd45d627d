import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyMergePatch } from './merge-patch.ts';

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
  it('is idempotent', () => {
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer()), fc.constant(null));
    const object = fc.dictionary(
      fc.string(),
      fc.oneof(leaf, fc.dictionary(fc.string(), leaf, { noNullPrototype: true })),
      {
        noNullPrototype: true,
      },
    );
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const once = applyMergePatch(document, patch);
        assert.deepEqual(applyMergePatch(once, patch), once);
      }),
    );
  });
});
