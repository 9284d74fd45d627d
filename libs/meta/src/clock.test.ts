import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentTime, withClock } from './clock.ts';

describe('clock', () => {
  it('is the system clock, unless another one is installed', async () => {
    const before = Date.now();
    assert.ok(currentTime() >= before && currentTime() <= Date.now());
    const [inner] = await Promise.all([
      withClock({ now: () => 7 }, async () => {
        await sleep(1);
        return currentTime();
      }),
      sleep(1).then(() => assert.ok(currentTime() >= before)),
    ]);
    assert.equal(inner, 7);
  });
});
