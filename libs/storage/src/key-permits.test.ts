import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { KeyPermits } from './key-permits.ts';

describe('permits of a key', () => {
  it('are held one at a time, in the order of requests', async () => {
    const permits = new KeyPermits();
    const order: number[] = [];
    let active = 0;
    await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const permit = await permits.acquire('key');
        assert.equal(permit.waited, n > 0);
        assert.equal(++active, 1);
        await delay(1);
        active--;
        order.push(n);
        permit.release();
      }),
    );
    assert.deepEqual(
      order,
      Array.from({ length: 10 }, (_, n) => n),
    );
  });

  it('are held concurrently for different keys, and forget their key', async () => {
    const permits = new KeyPermits();
    const a = await permits.acquire('a');
    assert.equal((await permits.acquire('b')).waited, false);
    a.release();
    assert.equal((await permits.acquire('a')).waited, false);
  });
});
