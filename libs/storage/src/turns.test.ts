import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Turns } from './turns.ts';

describe('turns', () => {
  it('run one at a time for a key, in the order of requests', async () => {
    const turns = new Turns();
    const order: number[] = [];
    let active = 0;
    await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const turn = await turns.take('key');
        assert.equal(turn.waited, n > 0);
        assert.equal(++active, 1);
        await delay(1);
        active--;
        order.push(n);
        turn.end();
      }),
    );
    assert.deepEqual(
      order,
      Array.from({ length: 10 }, (_, n) => n),
    );
  });

  it('run concurrently for different keys, and release their key', async () => {
    const turns = new Turns();
    const a = await turns.take('a');
    assert.equal((await turns.take('b')).waited, false);
    a.end();
    assert.equal((await turns.take('a')).waited, false);
  });
});
