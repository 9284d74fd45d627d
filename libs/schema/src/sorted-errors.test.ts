import assert from 'node:assert/strict';
import { field, finish } from '@apichain/meta';
import { sortingErrors } from './sorted-errors.ts';

describe('errors in the order of their texts', () => {
  it('equal those of a stable sort in one step', () => {
    const errors = Array.from({ length: 3_000 }, (_, i) => field.invalid(`a[${(i * 7919) % 500}]`, i % 3, `${i % 2}`));
    const text = (i: (typeof errors)[number]) => `${i.field}: ${i.message}`;
    const expected = [...errors].sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
    const sorted = finish(sortingErrors(errors));
    assert.equal(sorted.length, errors.length);
    assert.ok(sorted.every((error, i) => error === expected[i]));
    assert.deepEqual(finish(sortingErrors([])), []);
  });

  it('are sorted in steps', () => {
    const errors = Array.from({ length: 10_000 }, (_, i) => field.required(`p${(i * 7919) % 10_000}`));
    assert.ok([...sortingErrors(errors)].length > 100);
  });
});
