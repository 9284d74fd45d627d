import assert from 'node:assert/strict';
import { ReconnectBackoff } from './reconnect-backoff.ts';

describe('ReconnectBackoff', () => {
  it('doubles up to a bound, and begins again after a watch that lasted', () => {
    const backoff = new ReconnectBackoff({ random: () => 0 });
    const waits = Array.from({ length: 10 }, () => backoff.next(10));
    assert.deepEqual(waits, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000]);
    assert.equal(backoff.next(60_000), 100);
    assert.equal(backoff.next(999), 200);
  });

  it('adds up to as much again by chance', () => {
    const backoff = new ReconnectBackoff({ random: () => 0.5 });
    assert.deepEqual([backoff.next(0), backoff.next(0)], [150, 300]);
  });
});
