import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sorting } from './sorting.ts';
import { finish } from './turns.ts';

describe('sorting in steps', () => {
  const items = (length: number) => Array.from({ length }, (_, i) => ({ key: (i * 7_919) % 997, i }));

  it('orders as Array.sort does, whatever the length', () => {
    const lengths = fc.constantFrom(0, 1, 2, 2_047, 2_048, 2_049, 4_096, 4_097, 9_000);
    fc.assert(
      fc.property(lengths, (length) => {
        const list = items(length);
        const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
        assert.deepEqual(finish(sorting(list, byKey)), [...list].sort(byKey));
      }),
      { numRuns: 20 },
    );
  });

  it('makes a bounded number of comparisons in one step', () => {
    let compared = 0;
    const counting = (a: { key: number }, b: { key: number }) => {
      compared++;
      return a.key - b.key;
    };
    const work = sorting(items(50_000), counting);
    let most = 0;
    for (let step = work.next(); step.done !== true; step = work.next()) {
      most = Math.max(most, compared);
      compared = 0;
    }
    assert(most < 50_000, `${most} comparisons in one step`);
  });
});
