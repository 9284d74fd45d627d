import assert from 'node:assert/strict';
import { parsingJson, type Work } from '@apichain/meta';
import { LargeItems, largeItemInTurns } from './large-items.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('large items', () => {
  it('of one user are in memory one after the other', async () => {
    const isOpen: number[] = [];
    const items = Array.from({ length: 8 }, async (_, i) => {
      const large = new LargeItems();
      await large.enter();
      isOpen.push(i);
      assert.equal(isOpen.length, 1);
      await nextTurn();
      assert.equal(large.enter(), undefined);
      isOpen.pop();
      large.leave();
    });
    await Promise.all(items);
  });

  it('are made at once where they are small', () => {
    assert.equal(largeItemInTurns(parsingJson(Buffer.from('7'))), 7);
  });

  it('give their place back when they fail', async () => {
    function* failing(): Work<number> {
      yield;
      throw new Error('broken');
    }
    await assert.rejects(async () => largeItemInTurns(failing()), /broken/);
    const large = new LargeItems();
    assert.equal(large.enter(), undefined);
    large.leave();
  });
});
