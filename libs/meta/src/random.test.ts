import assert from 'node:assert/strict';
import { newUid, random, randomBelow, seededRandom } from './random.ts';
import { withRuntime } from './runtime.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

describe('random', () => {
  it('is what a seed says under a runtime that has one', async () => {
    const drawn = (seed: number) =>
      withRuntime({ random: seededRandom(seed) }, async () => {
        const first = [random(), randomBelow(1_000), newUid()];
        await Promise.resolve();
        return [...first, random()];
      });
    const [one, again, other] = [await drawn(1), await drawn(1), await drawn(2)];
    assert.deepEqual(one, again);
    assert.notDeepEqual(one, other);
    assert.match(String(one[2]), uuid);
  });

  it('is different every time without a seed', () => {
    assert.notEqual(random(), random());
    assert.match(newUid(), uuid);
    assert.notEqual(newUid(), newUid());
  });

  it('spreads evenly', () => {
    const next = seededRandom(7);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i++) {
      const cell = Math.floor(next() * 10);
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
    for (const count of counts) assert.ok(count > 850 && count < 1_150, counts.join(' '));
  });
});
