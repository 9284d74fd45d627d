import assert from 'node:assert/strict';
import { field } from '@apichain/meta';
import { sortErrors } from './sorted-errors.ts';

describe('errors in the order of their texts', () => {
  it('keep the order of equal texts', () => {
    const errors = Array.from({ length: 3_000 }, (_, i) => field.invalid(`a[${(i * 7919) % 500}]`, i % 3, `${i % 2}`));
    const text = (i: (typeof errors)[number]) => `${i.field}: ${i.message}`;
    const expected = [...errors].sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
    const sorted = sortErrors(errors);
    assert.equal(sorted.length, errors.length);
    assert.ok(sorted.every((error, i) => error === expected[i]));
    assert.deepEqual(sortErrors([]), []);
  });
});
