import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { machineClock } from './clock.ts';

describe('the clock of the machine', () => {
  afterEach(() => mock.restoreAll());

  it('calls nobody before the time has come, also if a timer of Node is early', () => {
    const waiting: { readonly elapsed: () => void; readonly delayMs: number }[] = [];
    let now = 1_000.25;
    mock.method(performance, 'now', () => now);
    mock.method(globalThis, 'setTimeout', (elapsed: () => void, delayMs: number) => {
      waiting.push({ elapsed, delayMs });
      return { unref: () => undefined };
    });
    const elapse = (to: number) => {
      now = to;
      waiting.shift()?.elapsed();
    };
    let called = 0;
    machineClock.setTimer(() => called++, 20);
    elapse(1_019.5);
    assert.deepEqual([called, waiting.map(({ delayMs }) => delayMs)], [0, [1]]);
    elapse(1_020.25);
    assert.deepEqual([called, waiting.length], [1, 0]);
  });
});
