import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkQueue, runWorkers } from './work-queue.ts';

describe('WorkQueue', () => {
  it('hands out a key once however often it was added', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.add('a');
    queue.add('b');
    assert.equal(await queue.get(), 'a');
    assert.equal(await queue.get(), 'b');
    assert.equal(queue.length, 0);
  });

  it('hands out a key again when it was added while being worked on', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    assert.equal(await queue.get(), 'a');
    queue.add('a');
    assert.equal(queue.length, 0);
    queue.done('a');
    assert.equal(await queue.get(), 'a');
  });

  it('ends waiting workers when it is shut down', async () => {
    const queue = new WorkQueue();
    const waiting = queue.get();
    queue.shutDown();
    assert.equal(await waiting, undefined);
  });

  it('retries a key whose reconcile failed', async () => {
    const queue = new WorkQueue({ baseDelayMs: 1 });
    const errors: unknown[] = [];
    let attempts = 0;
    const workers = runWorkers(
      queue,
      2,
      async () => {
        attempts += 1;
        await sleep(1);
        if (attempts < 3) throw new Error(`attempt ${attempts}`);
        queue.shutDown();
      },
      (_key, error) => errors.push(error),
    );
    queue.add('a');
    await workers;
    assert.equal(attempts, 3);
    assert.equal(errors.length, 2);
  });
});
