import type { WorkQueueObserver } from '@apichain/client';
import { Gauge, type Registry } from 'prom-client';
import { exponentialBuckets, PreparedCounter, PreparedHistogram } from './prepared.ts';

type ObservedQueue = Parameters<WorkQueueObserver['watch']>[0];

const labelNames = ['name'] as const;

/**
 * Measures the work queues of a server's controllers, by their names in Kubernetes:
 * https://kubernetes.io/docs/reference/instrumentation/metrics/
 */
export function workQueueMetrics(registry: Registry): (name: string) => WorkQueueObserver {
  const queues = new Map<string, ObservedQueue>();
  const counter = (name: string, help: string) => new PreparedCounter({ name, help, labelNames, registry });
  const histogram = (name: string, help: string) =>
    new PreparedHistogram({ name, help, labelNames, buckets: exponentialBuckets(10e-9, 10, 12), registry });
  const gauge = (name: string, help: string, read: (queue: ObservedQueue) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        for (const [queue, observed] of queues) this.set({ name: queue }, read(observed));
      },
    });
  gauge('workqueue_depth', 'Keys that wait for a worker.', ({ length }) => length);
  gauge('workqueue_unfinished_work_seconds', 'How long the work under way has taken so far, together.', (queue) =>
    secondsUnderWay(queue).reduce((sum, seconds) => sum + seconds, 0),
  );
  gauge('workqueue_longest_running_processor_seconds', 'How long the oldest work under way has taken.', (queue) =>
    Math.max(0, ...secondsUnderWay(queue)),
  );
  const adds = counter('workqueue_adds_total', 'Keys that were added.');
  const retries = counter('workqueue_retries_total', 'Keys that were added for later.');
  const waited = histogram('workqueue_queue_duration_seconds', 'How long keys waited for a worker.');
  const worked = histogram('workqueue_work_duration_seconds', 'How long the work on a key took.');
  return (name) => {
    const added = adds.prepare({ name });
    const retried = retries.prepare({ name });
    const waiting = waited.prepare({ name });
    const working = worked.prepare({ name });
    return {
      watch: (queue) => void queues.set(name, queue),
      added: () => void added.value++,
      retried: () => void retried.value++,
      taken: (seconds) => waiting.observe(seconds),
      done: (seconds) => working.observe(seconds),
    };
  };
}

function secondsUnderWay({ workingSince }: ObservedQueue): number[] {
  const now = performance.now();
  return Array.from(workingSince, (began) => (now - began) / 1_000);
}
