import assert from 'node:assert/strict';
import { firstMissing, formatIndexes, hasIndex, indexesOf, overlap, parseIndexes, sizeOf, union } from './indexes.ts';

describe('completion indexes', () => {
  const texts: readonly [indexes: readonly number[], text: string][] = [
    [[], ''],
    [[3], '3'],
    [[1, 2], '1,2'],
    [[1, 2, 3], '1-3'],
    [[7, 0, 2, 1, 5, 4, 7], '0-2,4,5,7'],
  ];
  for (const [indexes, text] of texts)
    it(`formats ${JSON.stringify(indexes)} as ${JSON.stringify(text)}`, () => {
      assert.equal(formatIndexes(indexesOf(indexes)), text);
      assert.deepEqual(parseIndexes(text, 100), indexesOf(indexes));
      assert.equal(sizeOf(indexesOf(indexes)), new Set(indexes).size);
    });

  it('leaves out what is beyond the completions, and what is no interval', () => {
    assert.equal(formatIndexes(parseIndexes('0-3,5-9,12', 7)), '0-3,5,6');
    assert.equal(formatIndexes(parseIndexes('0,x,2-,4', 7)), '0,4');
  });
  it('joins sets', () => {
    assert.equal(formatIndexes(union(parseIndexes('0-2,8', 10), parseIndexes('3,5,7-9', 10))), '0-3,5,7-9');
    assert.equal(overlap(parseIndexes('0-4,8', 10), parseIndexes('3-9', 10)), 3);
    assert.equal(hasIndex(parseIndexes('0-2,8', 10), 8), true);
    assert.equal(hasIndex(parseIndexes('0-2,8', 10), 3), false);
  });
  it('finds the first that are missing', () => {
    assert.deepEqual(firstMissing(parseIndexes('1,2,5', 8), 3, 8), [0, 3, 4]);
    assert.deepEqual(firstMissing(parseIndexes('0-7', 8), 3, 8), []);
    assert.deepEqual(firstMissing([], 5, 2), [0, 1]);
  });
});
