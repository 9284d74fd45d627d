import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onceSuccessful, shareCalls } from './share-calls.ts';

describe('shareCalls', () => {
  it('shares the next execution, never the one under way', async () => {
    let started = 0;
    const read = shareCalls(async () => {
      const mine = ++started;
      await nextTurn();
      return mine;
    });
    const first = read();
    const later = [read(), read(), read()];
    assert.equal(await first, 1);
    assert.deepEqual(await Promise.all(later), [2, 2, 2]);
    assert.equal(await read(), 3);
  });
  it('goes on after a failure', async () => {
    let fail = true;
    const read = shareCalls(() => (fail ? Promise.reject(new Error('down')) : Promise.resolve('up')));
    const results = await Promise.allSettled([read(), read()]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['rejected', 'rejected'],
    );
    fail = false;
    assert.equal(await read(), 'up');
  });
});

describe('onceSuccessful', () => {
  it('keeps a result but no failure', async () => {
    const outcomes = [() => Promise.reject(new Error('down')), () => Promise.resolve(1), () => Promise.resolve(2)];
    const read = onceSuccessful(() => outcomes.shift()?.() ?? Promise.resolve(3));
    await assert.rejects(read());
    assert.equal(await read(), 1);
    assert.equal(await read(), 1);
  });
});
