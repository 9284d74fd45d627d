import { Counter, Gauge, type Registry } from 'prom-client';
import { currentSpan } from '@apichain/client';
import type { StorageMetrics } from '@apichain/storage';
import { PreparedCounter, PreparedHistogram } from './prepared.ts';

const requestBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** How spans call what storage calls an operation. */
const callNames: ReadonlyMap<string, string> = new Map([
  ['range', 'etcdserverpb.KV/Range'],
  ['txn', 'etcdserverpb.KV/Txn'],
]);

/** What storage counts, named as kube-apiserver names it: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export function storageMetrics(registry: Registry): Required<StorageMetrics> {
  const registers = [registry];
  const counter = (name: string, help: string) => {
    const metric = new PreparedCounter({ name, help, labelNames: ['group', 'resource'], registry });
    return remembered((resource) => metric.prepare(labelsOf(resource)));
  };
  const operations = operationMetrics(registry);
  const received = counter(
    'apiserver_watch_cache_events_received_total',
    'Events that watch caches took in from etcd.',
  );
  const terminated = counter('apiserver_terminated_watchers_total', 'Watchers closed because they were too slow.');
  const initialized = counter('apiserver_watch_cache_initializations_total', 'How often watch caches were filled.');
  const consistent = new Counter({
    name: 'apiserver_watch_cache_consistent_read_total',
    help: 'Consistent reads: from the cache where it succeeded, from etcd otherwise.',
    labelNames: ['group', 'resource', 'success', 'fallback'],
    registers,
  });
  const watchers = new Gauge({
    name: 'apiserver_watchers',
    help: 'Open watches.',
    labelNames: ['group', 'resource'],
    registers,
  });
  return {
    etcdRequest: (operation, seconds, failed) => {
      const series = operations(operation);
      series.total.value++;
      series.duration.observe(seconds);
      if (failed) series.errors.value++;
      currentSpan()?.past(callNames.get(operation) ?? operation, 'client', seconds, failed ? 'failed' : undefined);
    },
    consistentRead: (resource, outcome) => {
      const success = outcome === 'success';
      consistent.inc({ ...labelsOf(resource), success: String(success), fallback: String(!success) });
    },
    eventsReceived: (resource, count) => {
      received(resource).value += count;
    },
    watcherTerminated: (resource) => {
      terminated(resource).value++;
    },
    watchers: (resource, change) => watchers.inc(labelsOf(resource), change),
    cacheInitialized: (resource) => {
      initialized(resource).value++;
    },
  };
}

function operationMetrics(registry: Registry) {
  const labelNames = ['operation'] as const;
  const duration = new PreparedHistogram({
    name: 'etcd_request_duration_seconds',
    help: 'Latency of requests to etcd by operation, in seconds.',
    labelNames,
    buckets: requestBuckets,
    registry,
  });
  const total = new PreparedCounter({
    name: 'etcd_requests_total',
    help: 'Requests to etcd by operation.',
    labelNames,
    registry,
  });
  const errors = new PreparedCounter({
    name: 'etcd_request_errors_total',
    help: 'Failed requests to etcd by operation.',
    labelNames,
    registry,
  });
  return remembered((operation) => ({
    total: total.prepare({ operation }),
    errors: errors.prepare({ operation }),
    duration: duration.prepare({ operation }),
  }));
}

/** `deployments.apps`, as storage names resources. */
function labelsOf(resource: string): { group: string; resource: string } {
  const dot = resource.indexOf('.');
  return dot < 0 ? { group: '', resource } : { group: resource.slice(dot + 1), resource: resource.slice(0, dot) };
}

/** Made once for each name; the names are those of resources and operations, so there are not many. */
function remembered<Value>(make: (name: string) => Value): (name: string) => Value {
  const made = new Map<string, Value>();
  return (name) => {
    let value = made.get(name);
    if (value === undefined) made.set(name, (value = make(name)));
    return value;
  };
}
