import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { releaseMemory } from './release-memory.ts';
import { youngGeneration } from './young-generation.ts';

describe('the young generation', () => {
  it('grows to its bound and no further, however much is made', async () => {
    releaseMemory();
    const kept: object[][] = [];
    for (let turn = 0; turn < 300; turn++) {
      const survivors: object[] = [];
      for (let i = 0; i < 10_000; i++) survivors.push({ turn, i });
      kept[turn % 8] = survivors;
      await nextTurn();
    }
    // Two halves of 24 MiB; V8 alone would let it grow to 128.
    assert.ok(youngGeneration() <= 48 * 1024 * 1024, `${youngGeneration()} bytes`);
    assert.equal(kept.length, 8);
  });
});
