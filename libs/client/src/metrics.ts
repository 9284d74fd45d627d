/*
 * Prometheus metrics of controllers. An entry of its own, because what only sends requests needs no library for metrics.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Counter, exponentialBuckets, Gauge, Histogram, Registry } from 'prom-client';
import type { WorkQueueObserver } from './work-queue.ts';

type ObservedQueue = Parameters<WorkQueueObserver['watch']>[0];

/**
 * Measures the work queues of a server's controllers, by their names in Kubernetes:
 * https://kubernetes.io/docs/reference/instrumentation/metrics/
 */
export function workQueueMetrics(registry: Registry): (name: string) => WorkQueueObserver {
  const queues = new Map<string, ObservedQueue>();
  const labelNames = ['name'] as const;
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames, buckets: exponentialBuckets(10e-9, 10, 10), registers });
  const gauge = (name: string, help: string, read: (queue: ObservedQueue) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
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
  return (name) => ({
    watch: (queue) => void queues.set(name, queue),
    added: () => adds.inc({ name }),
    retried: () => retries.inc({ name }),
    taken: (seconds) => waited.observe({ name }, seconds),
    done: (seconds) => worked.observe({ name }, seconds),
  });
}

function secondsUnderWay({ workingSince }: ObservedQueue): number[] {
  const now = performance.now();
  return Array.from(workingSince, (began) => (now - began) / 1_000);
}

/** How a reconcile ended. The last three have the label `result` of an error. */
export type ReconcileOutcome = 'success' | 'requeue' | 'requeue_after' | 'error' | 'terminal_error' | 'panic';

/** Receives the measurements of a controller. */
export interface ControllerObserver {
  readonly queue: WorkQueueObserver;
  /** A worker has begun to reconcile. */
  began(): void;
  ended(outcome: ReconcileOutcome, seconds: number): void;
}

/** The upper bounds of controller_runtime_reconcile_time_seconds. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/**
 * Measures controllers under the names of controller-runtime, and their queues. The returned function is called once for each controller.
 * Source: https://book.kubebuilder.io/reference/metrics-reference
 */
export function controllerMetrics(registry: Registry): (controller: string, workers: number) => ControllerObserver {
  const queues = workQueueMetrics(registry);
  const shared = { labelNames: ['controller'] as const, registers: [registry] };
  const total = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by controller and result.',
    labelNames: ['controller', 'result'],
    registers: [registry],
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles that failed.',
    ...shared,
  });
  const terminalErrors = new Counter({
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Reconciles that failed and are not repeated.',
    ...shared,
  });
  const panics = new Counter({
    name: 'controller_runtime_reconcile_panics_total',
    help: 'Reconciles that failed by a fault of the program.',
    ...shared,
  });
  const time = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long a reconcile took.',
    buckets: reconcileBuckets,
    ...shared,
  });
  const most = new Gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'How many reconciles may run at a time.',
    ...shared,
  });
  const active = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'How many reconciles run.',
    ...shared,
  });
  return (controller, workers) => {
    // Series are there before their first event, so that the first failure is an increase.
    for (const result of ['success', 'requeue', 'requeue_after', 'error']) total.inc({ controller, result }, 0);
    for (const counter of [errors, terminalErrors, panics]) counter.inc({ controller }, 0);
    most.set({ controller }, workers);
    active.set({ controller }, 0);
    return {
      queue: queues(controller),
      began: () => active.inc({ controller }),
      ended(outcome, seconds) {
        const hasFailed = outcome === 'error' || outcome === 'terminal_error' || outcome === 'panic';
        active.dec({ controller });
        time.observe({ controller }, seconds);
        total.inc({ controller, result: hasFailed ? 'error' : outcome });
        if (hasFailed) errors.inc({ controller });
        if (outcome === 'terminal_error') terminalErrors.inc({ controller });
        if (outcome === 'panic') panics.inc({ controller });
      },
    };
  };
}

/** Says which of the elections this replica leads. */
export function leaderMetric(registry: Registry): Gauge<'name'> {
  return new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this replica leads: 1, or 0.',
    labelNames: ['name'],
    registers: [registry],
  });
}

/** A registry with the metrics of this process. */
export function processRegistry(): Registry {
  const registry = new Registry();
  processMetrics(registry);
  return registry;
}

/** Installs metrics of the process. They are computed when they are read. */
export function processMetrics(registry: Registry): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Time that all threads have spent on the CPU, in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  if (process.platform === 'linux') {
    gauge('process_open_fds', 'File descriptors that are open.', () => readdirSync('/proc/self/fd').length);
    gauge('process_max_fds', 'File descriptors that may be open.', maxFileDescriptors);
    gauge('process_virtual_memory_bytes', 'Address space of the process, in bytes.', virtualMemory);
  }
  gauge('process_resident_memory_bytes', 'Memory that the process holds, in bytes.', () => process.memoryUsage.rss());
  gauge('process_start_time_seconds', 'When the process began, in seconds since the epoch.', () => started);
}

const procText = (name: string): string => readFileSync(`/proc/self/${name}`, 'utf8');
const maxFileDescriptors = () => Number(/^Max open files\s+(\d+)/m.exec(procText('limits'))?.[1] ?? 0);
const virtualMemory = () => Number(/^VmSize:\s+(\d+) kB/m.exec(procText('status'))?.[1] ?? 0) * 1024;

const started = Math.floor(Date.now() / 1000 - process.uptime());
