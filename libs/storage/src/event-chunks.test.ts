import assert from 'node:assert/strict';
import { EventChunks } from './event-chunks.ts';

const chunksOf = (sizes: readonly number[]) => new EventChunks<number>((size) => size, sizes);
const limits = { events: 3, bytes: 100 };

function takeAll(chunks: EventChunks<number>): number[][] {
  const taken: number[][] = [];
  while (chunks.length > 0) taken.push(chunks.take(limits));
  return taken;
}

describe('EventChunks', () => {
  it('end before the entry that exceeds the bytes', () => {
    assert.deepEqual(takeAll(chunksOf([60, 40, 1, 99, 1])), [[60, 40], [1, 99], [1]]);
  });
  it('have at least one entry, whatever its size', () => {
    assert.deepEqual(takeAll(chunksOf([1_000, 1_000, 10])), [[1_000], [1_000], [10]]);
  });
  it('are bounded in number', () => {
    assert.deepEqual(takeAll(chunksOf([1, 1, 1, 1])), [[1, 1, 1], [1]]);
  });
  it('are empty only without entries', () => {
    const chunks = chunksOf([]);
    assert.deepEqual(chunks.take(limits), []);
    chunks.push(7);
    assert.deepEqual(chunks.take(limits), [7]);
    chunks.push(8);
    chunks.clear();
    assert.equal(chunks.length, 0);
    assert.deepEqual(chunks.take(limits), []);
  });
  it('keep the order while entries come and go', () => {
    const chunks = chunksOf([]);
    const taken: number[] = [];
    for (let i = 1; i <= 5_000; i++) {
      chunks.push(i);
      if (i % 2 === 0) taken.push(...chunks.take({ events: 1, bytes: 0 }));
    }
    while (chunks.length > 0) taken.push(...chunks.take({ events: 500, bytes: 1e9 }));
    assert.deepEqual(
      taken,
      Array.from({ length: 5_000 }, (_, i) => i + 1),
    );
  });
});
