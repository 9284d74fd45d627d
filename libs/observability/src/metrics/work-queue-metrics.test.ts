import assert from 'node:assert/strict';
import { WorkQueue } from '@apichain/client';
import { Registry } from 'prom-client';
import { workQueueMetrics } from './work-queue-metrics.ts';

describe('metrics of work queues', () => {
  it('count waiting, processed and retried items', async () => {
    const registry = new Registry();
    const queue = new WorkQueue({ observer: workQueueMetrics(registry)('things') });
    for (const key of ['a', 'a', 'b']) queue.add(key);
    assert.equal(await queue.get(), 'a');
    queue.addRateLimited('a');
    const busy = await registry.metrics();
    assert.match(busy, /\nworkqueue_depth\{name="things"\} 1\n/);
    assert.match(busy, /\nworkqueue_unfinished_work_seconds\{name="things"\} 0\.\d+\n/);
    assert.match(busy, /\nworkqueue_longest_running_processor_seconds\{name="things"\} 0\.\d+\n/);
    queue.done('a');
    queue.shutDown();
    const idle = await registry.metrics();
    for (const line of [
      'workqueue_adds_total{name="things"} 2',
      'workqueue_retries_total{name="things"} 1',
      'workqueue_queue_duration_seconds_count{name="things"} 1',
      'workqueue_work_duration_seconds_count{name="things"} 1',
      'workqueue_unfinished_work_seconds{name="things"} 0',
    ]) {
      assert.ok(idle.includes(`\n${line}\n`), `${line}\n${idle}`);
    }
  });
});
