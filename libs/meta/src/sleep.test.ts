import assert from 'node:assert/strict';
import { sleep } from './sleep.ts';

describe('sleep', () => {
  it('waits as long as it is told', async () => {
    const began = performance.now();
    await sleep(20, new AbortController().signal);
    assert.ok(performance.now() - began >= 19);
  });

  it('ends when its signal is aborted, before or meanwhile, without an error', async () => {
    const stop = new AbortController();
    const sleeping = sleep(60_000, stop.signal);
    stop.abort();
    await sleeping;
    await sleep(60_000, stop.signal, { ref: false });
  });
});
