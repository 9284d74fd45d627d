import assert from 'node:assert/strict';
import { seededRandom } from '@apichain/meta';
import { TimerHeap } from './timer-heap.ts';

describe('TimerHeap', () => {
  it('has timers in the order of their times, then of their numbers, without those that were cancelled', () => {
    const random = seededRandom(3);
    const heap = new TimerHeap();
    const timer = (order: number) => ({ due: Math.floor(random() * 50), order, isSet: true, fire: () => undefined });
    const timers = Array.from({ length: 500 }, (_, order) => timer(order));
    for (const each of timers) heap.add(each);
    for (const [i, each] of timers.entries()) {
      if (i % 3 === 0) continue;
      each.isSet = false;
      heap.noteCancelled();
    }
    const late = timer(500);
    heap.add(late);
    const sorted = [...timers.filter(({ isSet }) => isSet), late].sort((a, b) => a.due - b.due || a.order - b.order);
    assert.equal(heap.first, sorted[0]);
    assert.deepEqual(
      heap.takeDue(20),
      sorted.filter(({ due }) => due <= 20),
    );
    assert.deepEqual(
      heap.takeDue(50),
      sorted.filter(({ due }) => due > 20),
    );
    assert.equal(heap.first, undefined);
  });
});
