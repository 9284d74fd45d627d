import assert from 'node:assert/strict';
import { sleep } from './sleep.ts';

describe('sleep', () => {
  it('waits for the given time', async () => {
    const began = performance.now();
    await sleep(20, new AbortController().signal);
    assert.ok(performance.now() - began >= 19);
  });

  it('ends without an error when its signal is aborted, before or during the wait', async () => {
    const stop = new AbortController();
    const sleeping = sleep(60_000, stop.signal);
    stop.abort();
    await sleeping;
    await sleep(60_000, stop.signal, { ref: false });
  });
});
