import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deepClone, deepEqual } from './deep.ts';

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
  it('copies everything and shares nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = deepClone(value);
        assert(deepEqual(copy, value));
        if (typeof value === 'object' && value !== null) assert.notEqual(copy, value);
      }),
    );
  });
});
