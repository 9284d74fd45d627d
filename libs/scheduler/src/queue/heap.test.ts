import assert from 'node:assert/strict';
import { Heap } from './heap.ts';

interface Item {
  readonly key: string;
  value: number;
}

const newHeap = (values: readonly number[]) => {
  const heap = new Heap<Item>(
    ({ key }) => key,
    (a, b) => a.value < b.value,
  );
  for (const value of values) heap.add({ key: `k${value}`, value });
  return heap;
};

function drain(heap: Heap<Item>): readonly number[] {
  const values: number[] = [];
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) values.push(item.value);
  return values;
}

describe('Heap', () => {
  it('gives the least item first', () => {
    assert.deepEqual(drain(newHeap([5, 3, 8, 1, 9, 2, 7])), [1, 2, 3, 5, 7, 8, 9]);
    assert.equal(newHeap([]).pop(), undefined);
  });

  it('removes any item', () => {
    for (const removed of [5, 3, 8, 1, 9, 2, 7]) {
      const heap = newHeap([5, 3, 8, 1, 9, 2, 7]);
      assert.equal(heap.delete(`k${removed}`), true);
      assert.equal(heap.get(`k${removed}`), undefined);
      assert.deepEqual(
        drain(heap),
        [1, 2, 3, 5, 7, 8, 9].filter((value) => value !== removed),
      );
    }
    const heap = newHeap([1, 2]);
    assert.equal(heap.delete('none'), false);
    assert.equal(heap.size, 2);
  });

  it('moves an item whose order has changed', () => {
    const heap = newHeap([1, 2, 3, 4]);
    const item = heap.get('k1');
    assert.ok(item !== undefined);
    item.value = 10;
    heap.add(item);
    assert.deepEqual(drain(heap), [2, 3, 4, 10]);
  });
});
