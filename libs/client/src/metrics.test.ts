import assert from 'node:assert/strict';
import { WorkQueue } from './work-queue.ts';
import { Registry } from 'prom-client';
import { controllerMetrics, workQueueMetrics } from './metrics.ts';

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

describe('metrics of controllers', () => {
  it('have the names and labels of controller-runtime', async () => {
    const registry = new Registry();
    const observer = controllerMetrics(registry)('widget', 3);
    for (const outcome of ['success', 'requeue_after', 'error', 'terminal_error', 'panic'] as const) {
      observer.began();
      observer.ended(outcome, 0.2);
    }
    observer.began();
    const text = await registry.metrics();
    for (const line of [
      'controller_runtime_reconcile_total{controller="widget",result="success"} 1',
      'controller_runtime_reconcile_total{controller="widget",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="requeue_after"} 1',
      'controller_runtime_reconcile_total{controller="widget",result="error"} 3',
      'controller_runtime_reconcile_errors_total{controller="widget"} 3',
      'controller_runtime_reconcile_panics_total{controller="widget"} 1',
      'controller_runtime_terminal_reconcile_errors_total{controller="widget"} 1',
      'controller_runtime_reconcile_time_seconds_count{controller="widget"} 5',
      'controller_runtime_max_concurrent_reconciles{controller="widget"} 3',
      'controller_runtime_active_workers{controller="widget"} 1',
    ])
      assert.ok(text.includes(`\n${line}\n`), `${line}\n${text}`);
  });
});
