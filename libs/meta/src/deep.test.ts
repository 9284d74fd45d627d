import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deepClone, deepEqual, equalityText } from './deep.ts';

describe('deepEqual', () => {
  it('compares by meaning', () => {
    assert(deepEqual({ a: 1, b: [1n] }, { b: [1], a: 1n }));
    assert(deepEqual({ a: undefined }, {}));
    assert(!deepEqual([1, 2], [2, 1]));
    assert(!deepEqual({ a: null }, {}));
    assert(!deepEqual(1.5, 1n));
    assert(!deepEqual('1', 1));
    assert(!deepEqual([], {}));
  });
});

describe('deepClone', () => {
  it('copies deeply', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = deepClone(value);
        assert(deepEqual(copy, value));
        if (typeof value === 'object' && value !== null) assert.notEqual(copy, value);
      }),
    );
  });
});

describe('equalityText', () => {
  it('is equal only for equal values', () => {
    assert.equal(equalityText({ a: 1n, b: [-0], c: undefined }), equalityText({ b: [0], a: 1 }));
    assert.equal(equalityText(10n ** 21n), equalityText(1e21));
    assert.notEqual(equalityText('1'), equalityText(1));
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
        assert.equal(equalityText(a) === equalityText(b), deepEqual(a, b));
      }),
    );
  });
});
